import * as z from 'zod/mini';
import { PLATFORM_IDS } from './ids.ts';

export const platformIdSchema = z.enum(PLATFORM_IDS);
