import { LRUCache } from 'lru-cache';
import { type ContentFacts, createFactsReader, factsOf } from '../../lib/content/content-facts.ts';
import { isTextPath } from '../../lib/content/content-types.ts';
import { AppError } from '../../lib/errors.ts';
import type { RateCounters } from '../../lib/rate-counters.ts';
import { withSlots } from '../../lib/with-slot.ts';
import type { Compression } from './compress.ts';
import { type FileCache, WHOLE_MAX_BYTES } from './file-cache.ts';
import { compressedSource, type Entry, missingCoding } from './served-file.ts';

/** A text is examined up to this size; none that a person has written is longer. */
const READ_MAX_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Contents are remembered by their hash, some 200 bytes each. */
const REMEMBERED_MAX = 20_000;

/**
 * Compressing occupies a core for a moment, so only a few files are compressed at once, one for each account. When too
 * many wait, the file is sent uncompressed: the largest takes more than a second, and nobody is to wait for dozens of
 * other accounts' files.
 */
const COMPRESSIONS = { key: 'compressed files', limit: 2, queueLength: 8 };
const COMPRESSIONS_OF_ACCOUNT = { limit: 1, queueLength: 32 };
const tooManyWait = (): AppError => new AppError('overloaded', 'Too many files are being compressed right now.');

export type Contents = {
  /**
   * Makes an entry ready to be sent: its headers follow from the content, and its body is compressed as the client
   * accepts it. Returns null when there is nothing to wait for; rejects when its content cannot be read.
   */
  prepare(entry: Entry, acceptEncoding: string | undefined, accountId: string): Promise<void> | null;
};

/** Examines the content of requested files, and compresses them, each once. */
export function createContents(files: FileCache, rateCounters: Pick<RateCounters, 'takeSlot'>): Contents {
  const remembered = new LRUCache<string, ContentFacts>({ max: REMEMBERED_MAX });
  const looking = new Map<string, Promise<ContentFacts>>();
  const compressing = new Map<string, Promise<Buffer>>();

  function look(sha256: string, entry: Entry): Promise<ContentFacts> {
    const pending = looking.get(sha256);
    if (pending !== undefined) return pending;
    const started = readFacts(files, entry)
      .then((facts) => {
        remembered.set(sha256, facts);
        return facts;
      })
      .finally(() => looking.delete(sha256));
    looking.set(sha256, started);
    return started;
  }

  function decide(entry: Entry): Promise<void> | null {
    if (entry.decide === null) return null;
    const { sha256 } = entry.plain.source.artifact;
    const known = remembered.get(sha256);
    if (known === undefined) return look(sha256, entry).then((facts) => entry.decide?.(facts));
    entry.decide(known);
    return null;
  }

  function compress(entry: Entry, acceptEncoding: string | undefined, accountId: string): Promise<void> | null {
    const coding = missingCoding(entry, acceptEncoding);
    if (coding === null) return null;
    const source = compressedSource(entry, coding);
    const known = files.known(source.key);
    if (known !== undefined) return note(entry, coding, known);
    const slots = [{ ...COMPRESSIONS_OF_ACCOUNT, key: `compressed files of ${accountId}` }, COMPRESSIONS];
    const started =
      compressing.get(source.key) ??
      withSlots(rateCounters, slots, tooManyWait, () => files.load(source)).finally(() =>
        compressing.delete(source.key),
      );
    compressing.set(source.key, started);
    return started.then((buffer) => void note(entry, coding, buffer));
  }

  return {
    prepare(entry, acceptEncoding, accountId) {
      const deciding = decide(entry);
      if (deciding === null) return compress(entry, acceptEncoding, accountId);
      return deciding.then(() => compress(entry, acceptEncoding, accountId) ?? undefined);
    },
  };
}

function note(entry: Entry, coding: Compression, { length }: Buffer): null {
  if (entry.compressed !== null) entry.compressed[coding] = length === 0 ? null : entry.finish(coding, length);
  return null;
}

async function readFacts(files: FileCache, { path, plain }: Entry): Promise<ContentFacts> {
  const { source, sizeBytes } = plain;
  if (sizeBytes <= WHOLE_MAX_BYTES) {
    return factsOf(files.known(source.key) ?? (await files.load(source)));
  }
  const { artifact, release } = await files.borrow(source);
  try {
    const reader = createFactsReader();
    // If a file is not text, its first bytes tell everything.
    const end = Math.min(sizeBytes, isTextPath(path) ? READ_MAX_BYTES : PIECE_BYTES);
    for (let at = 0; at < end && reader.soFar().isUtf8; at += PIECE_BYTES) {
      reader.add(await artifact.read(at, Math.min(at + PIECE_BYTES, end)));
    }
    return end < sizeBytes ? reader.soFar() : reader.end();
  } finally {
    release();
  }
}
