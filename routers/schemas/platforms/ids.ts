/** The six hosting platforms, in the order of the cards on the home screen. */
export const HOSTING_PLATFORMS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku', 'replit'] as const;

export type HostingPlatform = (typeof HOSTING_PLATFORMS)[number];

/** People publish to these platforms with their own credential; Replit has no public API to use one with. */
export const CONNECTION_PROVIDERS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku'] as const;

export type ConnectionProvider = (typeof CONNECTION_PROVIDERS)[number];

export const PLATFORM_IDS = [...HOSTING_PLATFORMS, 'built-in', 'simulated'] as const;

export type PlatformId = (typeof PLATFORM_IDS)[number];

/** The platforms for publishing: the registry of adapters (server/publishing/platforms/index.ts) holds exactly these. */
export type AvailablePlatform = Exclude<PlatformId, 'simulated'>;
