/** The six hosting platforms, in the order of the home cards (specification, section 2). */
export const HOSTING_PLATFORMS = ['netlify', 'vercel', 'github-pages', 'render', 'heroku', 'replit'] as const;

export type HostingPlatform = (typeof HOSTING_PLATFORMS)[number];

/** Every place where a deployment can live. */
export const PLATFORM_IDS = [...HOSTING_PLATFORMS, 'built-in', 'simulated'] as const;

export type PlatformId = (typeof PLATFORM_IDS)[number];
