import { LRUCache } from 'lru-cache';
import { type ContentFacts, createFactsReader, factsOf } from './content-facts.ts';
import { isTextPath } from './content-types.ts';
import { type FileCache, WHOLE_MAX_BYTES } from './file-cache.ts';
import type { Entry } from './served-file.ts';

/** A text is looked through as far as this; none that a person has written is longer. */
const READ_MAX_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Contents are remembered by their hash, some 200 bytes each. */
const REMEMBERED_MAX = 20_000;

export type Contents = {
  /** Decides an entry at once where its content has been looked at before; else resolves once it has been. */
  decide(entry: Entry): Promise<void> | null;
};

/** Looks into the content of files that are asked for, each once. */
export function createContents(files: FileCache): Contents {
  const remembered = new LRUCache<string, ContentFacts>({ max: REMEMBERED_MAX });
  const looking = new Map<string, Promise<ContentFacts>>();

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

  return {
    decide(entry) {
      const { sha256 } = entry.plain.source.artifact;
      const known = remembered.get(sha256);
      if (known === undefined) return look(sha256, entry).then((facts) => entry.decide?.(facts));
      entry.decide?.(known);
      return null;
    },
  };
}

async function readFacts(files: FileCache, { path, plain }: Entry): Promise<ContentFacts> {
  const { source, sizeBytes } = plain;
  if (sizeBytes <= WHOLE_MAX_BYTES) {
    return factsOf(files.known(source.key) ?? (await files.load(source)));
  }
  const { artifact, release } = await files.borrow(source.artifact);
  try {
    const reader = createFactsReader();
    // Of what is no text its first bytes say all.
    const end = Math.min(sizeBytes, isTextPath(path) ? READ_MAX_BYTES : PIECE_BYTES);
    for (let at = 0; at < end && reader.soFar().isUtf8; at += PIECE_BYTES) {
      reader.add(await artifact.read(at, Math.min(at + PIECE_BYTES, end)));
    }
    return end < sizeBytes ? reader.soFar() : reader.end();
  } finally {
    release();
  }
}
