/** What a person is told of a platform, before and while they use it. */
export type PlatformFacts = {
  title: string;
  description: string;
  /** Three bullets of the home card, each true of the platform. */
  bullets: readonly [string, string, string];
  /** False while this version cannot publish there; its pages say so. */
  isAvailable: boolean;
};
