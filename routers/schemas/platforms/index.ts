import * as z from 'zod/mini';
import { HOSTING_PLATFORMS } from './list.ts';

export { HOSTING_PLATFORMS, type HostingPlatform, PLATFORMS } from './list.ts';

export const platformIdSchema = z.enum([...HOSTING_PLATFORMS, 'built-in', 'simulated']);

export type PlatformId = z.infer<typeof platformIdSchema>;
