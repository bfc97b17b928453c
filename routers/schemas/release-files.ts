import * as z from 'zod/mini';
import { sha256Schema } from './primitives.ts';
import { publishedPathSchema } from './releases.ts';

/** Answer of `GET /api/releases/{releaseId}/files`: path, hash and size of each, sorted by path. */
export const releaseFilesSchema = z.array(z.tuple([publishedPathSchema, sha256Schema, z.int()]));
