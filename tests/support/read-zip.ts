import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSmall, makeScratch, readEntry, streamEntry } from '../../server/store/zip/entry.ts';
import type { OpenZip } from '../../server/store/zip/file.ts';
import type { PlacedEntry } from '../../server/store/zip/local-headers.ts';
import { ZipRefusal } from '../../server/store/zip/refusal.ts';
import { listZip } from '../../server/store/zip/zip.ts';

export type ReadZip = {
  files: Map<string, Buffer>;
  leftOut: string[];
  droppedCount: number;
  /** Under the names that had to be guessed. */
  guessed: string[];
};

type Way = (file: OpenZip, entry: PlacedEntry) => Promise<Buffer>;

const whole: Way = async (file, entry) =>
  isSmall(entry) ? Buffer.from(readEntry(file, entry, makeScratch())) : streamed(file, entry);

const streamed: Way = async (file, entry) => {
  const pieces: Buffer[] = [];
  for await (const piece of streamEntry(file, entry)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
};

async function read(bytes: Buffer, publishAnyway: readonly string[], way: Way): Promise<ReadZip> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-zip-'));
  await writeFile(join(folder, 'x.zip'), bytes);
  const handle = await open(join(folder, 'x.zip'));
  try {
    const file = { fd: handle.fd, sizeBytes: bytes.length };
    const listing = await listZip(file, publishAnyway);
    const files = new Map<string, Buffer>();
    for (const { path, entry } of listing.files) files.set(path, await way(file, entry));
    const { leftOut, droppedCount, notices } = listing;
    const guessed = notices.find(({ code }) => code === 'guessed_name')?.paths ?? [];
    return { files, leftOut: leftOut.map(({ path }) => path), droppedCount, guessed };
  } finally {
    await handle.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads an archive to its last byte as the thread does, each file both ways. Throws what the reader throws. */
export async function readZip(bytes: Buffer, publishAnyway: readonly string[] = []): Promise<ReadZip> {
  const one = await read(bytes, publishAnyway, whole);
  const other = await read(bytes, publishAnyway, streamed);
  for (const [path, content] of one.files) {
    if (other.files.get(path)?.equals(content) !== true) throw new Error(`Two ways of reading ${path} differ.`);
  }
  return one;
}

export type Refused = { reason: string; path: string; message: string };

/**
 * Returns why an archive is refused, and for which entry; both ways of reading must agree. Fails when one accepts it.
 */
export async function zipRefusal(bytes: Buffer): Promise<Refused> {
  const [one, other] = await Promise.all([whole, streamed].map((way) => refusalOf(read(bytes, [], way))));
  if (one === undefined || one.reason !== other?.reason) {
    throw new Error(`Two ways of reading differ: ${one?.reason}, ${other?.reason}.`);
  }
  return one;
}

async function refusalOf(reading: Promise<ReadZip>): Promise<Refused> {
  try {
    const { files } = await reading;
    throw new Error(`The archive was taken, with ${[...files.keys()].join()}.`);
  } catch (error) {
    if (!(error instanceof ZipRefusal)) throw error;
    return { reason: error.reason, path: error.path, message: error.message };
  }
}
