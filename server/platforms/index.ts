import { builtIn } from './built-in/index.ts';
import type { PlatformRegistry } from './platform.ts';
import { simulated } from './simulated/index.ts';

/** Every platform that this version can publish to; `PLATFORMS` in the contract says the same as `isAvailable`. */
export const platforms: PlatformRegistry = { 'built-in': builtIn };

/**
 * With the one that is played. No installation's providers take these: whoever wants it, a test today, hands them in
 * together with a vendor to play it (`Providers.platforms` and `Providers.network`). Elsewhere a deployment on
 * `simulated` is refused as `platform_unavailable`.
 */
export const platformsWithSimulated: PlatformRegistry = { ...platforms, simulated: simulated.upload };
