import * as z from 'zod/mini';
import { sha256Schema } from './primitives.ts';
import { publishedPathSchema } from './releases.ts';

const rowsSchema = z.array(z.array(z.unknown()));
const rowSchema = z.strictObject({ path: publishedPathSchema, sha256: sha256Schema, sizeBytes: z.int() });

/**
 * Reads the answer of `GET /api/releases/{releaseId}/files`, which is the stored list: rows of path, hash and size,
 * sorted by path. Throws zod's error for anything else.
 */
export function readReleaseFiles(answer: unknown): z.infer<typeof rowSchema>[] {
  return rowsSchema.parse(answer).map(([path, sha256, sizeBytes]) => rowSchema.parse({ path, sha256, sizeBytes }));
}
