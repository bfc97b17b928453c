import type { AvailablePlatform } from '../../routers/schemas/platforms/list.ts';
import { builtIn } from './built-in/index.ts';
import type { Platform } from './platform.ts';

/** Every platform that this version can publish to: those whose facts in the contract say `isAvailable`, and no other. */
export const platforms = { 'built-in': builtIn } satisfies Record<AvailablePlatform, Platform>;
