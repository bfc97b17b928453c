import * as z from 'zod/mini';
import { sha256Schema } from '../../routers/schemas/primitives.ts';
import { AppError } from '../errors.ts';

/**
 * Compressed twins of a release's text files: one artifact (the index) says for each file's hash where its br and gzip
 * bodies lie in other artifacts (packs, many bodies in a row). Thousands of twins are so a few files on the disk
 * (performance facts, 2.6), and a release takes over what an earlier one has made by naming its packs. The release's
 * document names index and packs, so that garbage collection sees both.
 */
export type Pack = { sha256: string; sizeBytes: number };
export type TwinSlice = { pack: Pack; start: number; end: number };
/** Null where compression saved too little: known, so that nobody tries again. */
export type Twins = { br: TwinSlice | null; gzip: TwinSlice | null };
/** By the hash of the file itself. */
export type TwinIndex = ReadonlyMap<string, Twins>;

const count = z.int().check(z.minimum(0));
/** `[file, pack, start, bytes of br, bytes of gzip]`: the two bodies follow each other; none of a body is 0. */
const rowSchema = z.tuple([sha256Schema, count, count, count, count]);
const storedSchema = z.object({
  version: z.literal(1),
  packs: z.array(z.tuple([sha256Schema, count])),
  rows: z.array(rowSchema),
});
type Row = z.infer<typeof rowSchema>;

/** Sorted by file, so that equal twins give equal indexes. */
export function encodeTwins(index: TwinIndex): Buffer {
  const packs = packsOf(index);
  const numbers = new Map(packs.map((pack, number) => [pack.sha256, number]));
  const rows = [...index].map(([sha256, twins]) => toRow(sha256, twins, numbers));
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(
    JSON.stringify({ version: 1, packs: packs.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]), rows }),
  );
}

function toRow(sha256: string, { br, gzip }: Twins, numbers: ReadonlyMap<string, number>): Row {
  const first = br ?? gzip;
  const length = (slice: TwinSlice | null): number => (slice === null ? 0 : slice.end - slice.start);
  return [sha256, numbers.get(first?.pack.sha256 ?? '') ?? 0, first?.start ?? 0, length(br), length(gzip)];
}

/** The packs that an index needs, in a fixed order. */
export function packsOf(index: TwinIndex): Pack[] {
  const packs = new Map<string, Pack>();
  for (const { br, gzip } of index.values()) {
    for (const slice of [br, gzip]) if (slice !== null) packs.set(slice.pack.sha256, slice.pack);
  }
  return [...packs.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** Throws `artifact_damaged` when the bytes are no index. */
export function decodeTwins(bytes: Buffer): TwinIndex {
  const parsed = storedSchema.safeParse(parseJson(bytes));
  if (!parsed.success) throw damaged();
  const packs = parsed.data.packs.map(([sha256, sizeBytes]) => ({ sha256, sizeBytes }));
  return new Map(parsed.data.rows.map((row) => [row[0], fromRow(row, packs)]));
}

function fromRow([, number, start, brBytes, gzipBytes]: Row, packs: readonly Pack[]): Twins {
  const pack = packs[number];
  const slice = (from: number, bytes: number): TwinSlice | null => {
    if (bytes === 0) return null;
    if (pack === undefined || from + bytes > pack.sizeBytes) throw damaged();
    return { pack, start: from, end: from + bytes };
  };
  return { br: slice(start, brBytes), gzip: slice(start + brBytes, gzipBytes) };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function damaged(): AppError {
  return new AppError('artifact_damaged', 'The list of compressed files of this release is damaged.');
}
