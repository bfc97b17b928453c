/** These are the six hosting platforms, in the order of the cards on the home screen. */
export const HOSTING_PLATFORMS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku', 'replit'] as const;

export type HostingPlatform = (typeof HOSTING_PLATFORMS)[number];

/** These platforms publish with a credential of the person's own; Replit has no public API to use one with. */
export const CONNECTION_PROVIDERS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku'] as const;

export type ConnectionProvider = (typeof CONNECTION_PROVIDERS)[number];

export const PLATFORM_IDS = [...HOSTING_PLATFORMS, 'built-in', 'simulated'] as const;

export type PlatformId = (typeof PLATFORM_IDS)[number];

/** Where one can publish: the registry of adapters (server/platforms/index.ts) holds exactly these. */
export type AvailablePlatform = Exclude<PlatformId, 'simulated'>;
