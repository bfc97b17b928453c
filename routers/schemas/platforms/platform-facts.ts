/** Texts about a platform, for a person to read before and while they use it. */
export type PlatformFacts = {
  title: string;
  description: string;
  /** These are three bullets of the home card, each true of the platform. */
  bullets: readonly [string, string, string];
  /** Sites are answered by this installation's own host, at addresses of its own. */
  isServedHere?: boolean;
  /** No place to publish to: for tests and Test & Simulation. In no list to choose from, in no plan's count, and without an adapter. */
  isSimulated?: boolean;
};
