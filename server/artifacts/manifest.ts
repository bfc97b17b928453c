import * as z from 'zod/mini';
import { sha256Schema } from '../../routers/schemas/primitives.ts';
import { AppError } from '../errors.ts';

/** Path (NFC, no leading slash) to the artifact that answers for it. A Map: `__proto__` is an honest file name. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;
export type ManifestEntry = { sha256: string; sizeBytes: number };

/** Stored form: rows of `[path, sha256, sizeBytes]` sorted by path, so that equal files give equal manifests. */
const storedSchema = z.array(z.tuple([z.string(), sha256Schema, z.int()]));

/** The bytes that are stored, and whose SHA-256 is `manifestHash`. */
export function encodeManifest(manifest: Manifest): Buffer {
  const rows = [...manifest].map(([path, entry]) => [path, entry.sha256, entry.sizeBytes] as const);
  rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Buffer.from(JSON.stringify(rows));
}

/** Throws `artifact_damaged` when the bytes are no manifest. */
export function decodeManifest(bytes: Buffer): Manifest {
  const parsed = storedSchema.safeParse(parseJson(bytes));
  if (!parsed.success) throw new AppError('artifact_damaged', 'The list of files of this release is damaged.');
  return new Map(parsed.data.map(([path, sha256, sizeBytes]) => [path, { sha256, sizeBytes }]));
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

export type ManifestDifference = { added: string[]; changed: string[]; removed: string[] };

/** What `next` has that `previous` has not, by path; null for a first release. */
export function compareManifests(previous: Manifest | null, next: Manifest): ManifestDifference {
  const before = previous ?? new Map<string, ManifestEntry>();
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, entry] of next) {
    const old = before.get(path);
    if (old === undefined) added.push(path);
    else if (old.sha256 !== entry.sha256) changed.push(path);
  }
  const removed = [...before.keys()].filter((path) => !next.has(path));
  return { added, changed, removed };
}

/** Of all paths: a content that two of them share counts twice. */
export function totalBytes(manifest: Manifest): number {
  let sum = 0;
  for (const entry of manifest.values()) sum += entry.sizeBytes;
  return sum;
}
