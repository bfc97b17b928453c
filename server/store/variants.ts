import * as z from 'zod/mini';
import { sha256Schema } from '../../routers/schemas/primitives.ts';
import { AppError } from '../lib/errors.ts';
import { runInTimeSlices } from '../lib/time-slices.ts';

/**
 * Precompressed variants of a release's text files. One artifact, the index, says for the hash of each file where its br
 * and gzip bodies lie in other artifacts, the packs, which hold many bodies in a row: thousands of variants are a few
 * files on the disk. A release takes over what an earlier one has made by naming its packs. The release's document names
 * index and packs, so that garbage collection sees both.
 */
export type Pack = { sha256: string; sizeBytes: number };
export type VariantSlice = { pack: Pack; start: number; end: number };
/** Null where compression saved too little: known, so that nobody tries again. */
export type Variants = { br: VariantSlice | null; gzip: VariantSlice | null };
/** Maps the hash of a file to its variants. */
export type VariantIndex = ReadonlyMap<string, Variants>;

const count = z.int().check(z.minimum(0));
/**
 * A row is `[file, pack, start, bytes of br, bytes of gzip]`: the two bodies follow each other; a missing body has 0
 * bytes.
 */
const rowSchema = z.tuple([sha256Schema, count, count, count, count]);
const rowsSchema = z.array(rowSchema);
const headSchema = z.object({ version: z.literal(1), packs: z.array(z.tuple([sha256Schema, count])) });
type Row = z.infer<typeof rowSchema>;

/** What comes before the rows, and what separates the one from the other: both stand nowhere else. */
const BEFORE_ROWS = ',"rows":[';
const BETWEEN_ROWS = '],[';
/** Reading or writing so much takes about a millisecond. */
const BYTES_A_STEP = 32 * 1024;
const ROWS_A_STEP = 500;

/** Sorted by file, so that equal variants give equal indexes; written while other calls have their turns. */
export function encodeVariants(index: VariantIndex): Promise<Buffer> {
  return runInTimeSlices(encodingSteps(index));
}

function* encodingSteps(index: VariantIndex): Generator<void, Buffer> {
  const packs = packsOf(index);
  yield;
  const numbers = new Map(packs.map((pack, number) => [pack.sha256, number]));
  const rows: string[] = [];
  for (const sha256 of [...index.keys()].sort()) {
    if (rows.length % ROWS_A_STEP === 0) yield;
    const variants = index.get(sha256);
    if (variants !== undefined) rows.push(JSON.stringify(toRow(sha256, variants, numbers)));
  }
  const head = JSON.stringify({ version: 1, packs: packs.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]) });
  return Buffer.from(`${head.slice(0, -1)}${BEFORE_ROWS}${rows.join()}]}`);
}

function toRow(sha256: string, { br, gzip }: Variants, numbers: ReadonlyMap<string, number>): Row {
  const first = br ?? gzip;
  const length = (slice: VariantSlice | null): number => (slice === null ? 0 : slice.end - slice.start);
  return [sha256, numbers.get(first?.pack.sha256 ?? '') ?? 0, first?.start ?? 0, length(br), length(gzip)];
}

/** The packs that an index needs, in a fixed order. */
export function packsOf(index: VariantIndex): Pack[] {
  const packs = new Map<string, Pack>();
  for (const { br, gzip } of index.values()) {
    for (const slice of [br, gzip]) if (slice !== null) packs.set(slice.pack.sha256, slice.pack);
  }
  return [...packs.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** Reads the index while other calls have their turns. Throws `artifact_corrupted` when the bytes are none. */
export function decodeVariants(bytes: Buffer): Promise<VariantIndex> {
  return runInTimeSlices(decodingSteps(bytes));
}

function* decodingSteps(bytes: Buffer): Generator<void, VariantIndex> {
  const headEnd = bytes.indexOf(BEFORE_ROWS);
  const rowsEnd = bytes.length - ']}'.length;
  const head = headSchema.safeParse(parseJson(`${bytes.toString('utf8', 0, Math.max(0, headEnd))}}`));
  if (!head.success || bytes.toString('utf8', rowsEnd) !== ']}') throw corruptedIndex();
  const packs = head.data.packs.map(([sha256, sizeBytes]) => ({ sha256, sizeBytes }));
  const index = new Map<string, Variants>();
  for (let start = headEnd + BEFORE_ROWS.length; start < rowsEnd; ) {
    const boundary = bytes.indexOf(BETWEEN_ROWS, start + BYTES_A_STEP);
    const end = boundary === -1 ? rowsEnd : boundary + 1;
    const rows = rowsSchema.safeParse(parseJson(`[${bytes.toString('utf8', start, end)}]`));
    if (!rows.success) throw corruptedIndex();
    for (const row of rows.data) index.set(row[0], fromRow(row, packs));
    start = end + 1;
    yield;
  }
  return index;
}

function fromRow([, number, start, brBytes, gzipBytes]: Row, packs: readonly Pack[]): Variants {
  const pack = packs[number];
  const slice = (from: number, bytes: number): VariantSlice | null => {
    if (bytes === 0) return null;
    if (pack === undefined || from + bytes > pack.sizeBytes) throw corruptedIndex();
    return { pack, start: from, end: from + bytes };
  };
  return { br: slice(start, brBytes), gzip: slice(start + brBytes, gzipBytes) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function corruptedIndex(): AppError {
  return new AppError('artifact_corrupted', 'The list of compressed files of this release is damaged.');
}
