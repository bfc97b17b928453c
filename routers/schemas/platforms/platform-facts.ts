/** Texts about a platform, for a person to read before and while they use it. */
export type PlatformFacts = {
  title: string;
  description: string;
  /** The three bullets of the home card, each true of the platform. */
  bullets: readonly [string, string, string];
  /** True when this installation's own host serves the sites, at addresses of its own. */
  isServedHere?: boolean;
  /**
   * True for a simulated platform, for tests and Test & Simulation: it is in no list to choose from and in no plan's
   * count, and has no adapter.
   */
  isSimulated?: boolean;
};
