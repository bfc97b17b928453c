import { AppError } from '../lib/errors.ts';
import { runInTimeSlices } from '../lib/time-slices.ts';

/**
 * Maps each path (NFC, no leading slash) to the artifact that answers for it. It is a Map since `__proto__` may be the
 * name of a file.
 */
export type Manifest = ReadonlyMap<string, ManifestEntry>;
export type ManifestEntry = { sha256: string; sizeBytes: number };

/** The stored form: rows of `[path, sha256, sizeBytes]` sorted by path, so that equal files give equal manifests. */
type Row = [path: string, sha256: string, sizeBytes: number];
const SHA256 = /^[0-9a-f]{64}$/;
/** Occurs between two rows, and nowhere else: inside a path the quote has a backslash before it. */
const BETWEEN_ROWS = '],["';
/** Reading or writing this much takes about a millisecond. */
const BYTES_A_STEP = 64 * 1024;
const ROWS_A_STEP = 500;

/** Returns the bytes to store, whose SHA-256 is `manifestHash`. They are written while other calls have their turns. */
export function encodeManifest(manifest: Manifest): Promise<Buffer> {
  return runInTimeSlices(encodingSteps(manifest));
}

function* encodingSteps(manifest: Manifest): Generator<void, Buffer> {
  const rows: string[] = [];
  for (const path of [...manifest.keys()].sort()) {
    if (rows.length % ROWS_A_STEP === 0) yield;
    const entry = manifest.get(path);
    if (entry !== undefined) rows.push(JSON.stringify([path, entry.sha256, entry.sizeBytes]));
  }
  return Buffer.from(`[${rows.join()}]`);
}

/** Reads the stored bytes while other calls have their turns. Throws `artifact_corrupted` when they are no manifest. */
export function decodeManifest(bytes: Buffer): Promise<Manifest> {
  return runInTimeSlices(decodingSteps(bytes));
}

function* decodingSteps(bytes: Buffer): Generator<void, Manifest> {
  const manifest = new Map<string, ManifestEntry>();
  let start = 0;
  do {
    const boundary = bytes.indexOf(BETWEEN_ROWS, start + BYTES_A_STEP);
    const end = boundary === -1 ? bytes.length : boundary + 1;
    const text = bytes.toString('utf8', start, end);
    const rows = parseJson(`${start === 0 ? '' : '['}${text}${boundary === -1 ? '' : ']'}`);
    if (!Array.isArray(rows) || !rows.every(isRow)) {
      throw new AppError('artifact_corrupted', 'The list of files of this release is damaged.');
    }
    for (const row of rows) manifest.set(row[0], { sha256: row[1], sizeBytes: row[2] });
    start = boundary === -1 ? bytes.length : end + 1;
    yield;
  } while (start < bytes.length);
  return manifest;
}

/** Validates by hand, since a schema makes a dozen objects of each row, and a list has twenty thousand. */
function isRow(row: unknown): row is Row {
  return (
    Array.isArray(row) &&
    row.length === 3 &&
    typeof row[0] === 'string' &&
    typeof row[1] === 'string' &&
    SHA256.test(row[1]) &&
    Number.isSafeInteger(row[2])
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type ManifestDifference = { added: string[]; changed: string[]; removed: string[] };

/**
 * Returns the paths that differ in `next`, compared while other calls have their turns; `previous` is null for a first
 * release.
 */
export function compareManifests(previous: Manifest | null, next: Manifest): Promise<ManifestDifference> {
  return runInTimeSlices(comparingSteps(previous ?? new Map(), next));
}

export function* comparingSteps(before: Manifest, next: Manifest): Generator<void, ManifestDifference> {
  const difference: ManifestDifference = { added: [], changed: [], removed: [] };
  let rows = 0;
  for (const [path, entry] of next) {
    if (++rows % ROWS_A_STEP === 0) yield;
    const old = before.get(path);
    if (old === undefined) difference.added.push(path);
    else if (old.sha256 !== entry.sha256) difference.changed.push(path);
  }
  for (const path of before.keys()) {
    if (++rows % ROWS_A_STEP === 0) yield;
    if (!next.has(path)) difference.removed.push(path);
  }
  return difference;
}

/** Adds up all paths: a content that two of them share counts twice. */
export function totalBytes(manifest: Manifest): number {
  let sum = 0;
  for (const entry of manifest.values()) sum += entry.sizeBytes;
  return sum;
}
