import { builtIn } from './built-in/index.ts';
import type { PlatformRegistry } from './platform.ts';

/** Every platform that this version can publish to; `PLATFORMS` in the contract says the same as `isAvailable`. */
export const platforms: PlatformRegistry = { 'built-in': builtIn };
