import { cacheControlOf } from '../../lib/content/cache-rule.ts';
import type { ContentFacts } from '../../lib/content/content-facts.ts';
import {
  type Answering,
  answeringOf,
  contentTypeOf,
  isDecidedByContent,
  isTextPath,
} from '../../lib/content/content-types.ts';
import { COMPRESSED_MAX_BYTES, COMPRESSED_MIN_BYTES, type Compression } from './compress.ts';
import { type Coding, codingsFor } from './encoding.ts';
import type { Source } from './file-cache.ts';

/** One body of a file with every part of its answers that never changes, built once. */
export type Body = {
  source: Source;
  sizeBytes: number;
  etag: string;
  /** Ranges apply to the plain body alone, since those of two encodings would not fit together. */
  hasRanges: boolean;
  /** Lists name, value, name, value, as `writeHead` takes them. */
  okHeaders: string[];
  notModifiedHeaders: string[];
  /** Leaves out length and range, which differ by request. */
  partHeaders: string[];
  /** Sent with a page that stands in for a missing one. */
  notFoundHeaders: string[];
};

/** One file of a release: its plain body, and the compressed ones that somebody has asked for. */
export type Entry = {
  path: string;
  isPage: boolean;
  plain: Body;
  /** Null for a file that is never compressed, and a body that is null saves too little. */
  compressed: { br?: Body | null; gzip?: Body | null } | null;
  /** Makes the compressed body of so many bytes. */
  finish(coding: Compression, sizeBytes: number): Body;
  /** Corrects the headers for the content, once it was examined; null where the name tells everything. */
  decide: ((facts: ContentFacts) => void) | null;
};

type File = { path: string; sha256: string; sizeBytes: number };

/** Returns a file of a release with its headers made once. */
export function prepareServedFile(file: File & { paths: { has(path: string): boolean } }): Entry {
  const type = contentTypeOf(file.path);
  const entry: Entry = {
    path: file.path,
    isPage: type.startsWith('text/html'),
    ...bodiesOf(file, { type, coding: null }),
    decide: null,
  };
  if (isDecidedByContent(file)) {
    entry.decide = (facts) => {
      Object.assign(entry, bodiesOf(file, answeringOf(file, facts)));
      entry.decide = null;
    };
  }
  return entry;
}

function bodiesOf(file: File, answering: Answering): Pick<Entry, 'plain' | 'compressed' | 'finish'> {
  const { path, sizeBytes } = file;
  const isCompressed = sizeBytes > COMPRESSED_MIN_BYTES && sizeBytes <= COMPRESSED_MAX_BYTES && isTextPath(path);
  return {
    plain: finishBody(file, answering, 'identity', sizeBytes),
    compressed: isCompressed ? {} : null,
    finish: (coding, compressedBytes) => finishBody(file, answering, coding, compressedBytes),
  };
}

/** Returns where the compressed bytes of a file come from. */
export function compressedSource({ plain }: Entry, coding: Compression): Source {
  return sourceOf(plain.source.artifact, coding);
}

function sourceOf(artifact: Source['artifact'], coding: Coding): Source {
  return { key: coding === 'identity' ? artifact.sha256 : `${artifact.sha256}/${coding}`, artifact, coding };
}

function finishBody(file: File, answering: Answering, coding: Coding, sizeBytes: number): Body {
  // The tag is strong: 128 bits of the hash are plenty, and each encoding has a tag of its own (RFC 9110, section
  // 8.8.3.3).
  const suffix = { identity: '', br: '-br', gzip: '-gz' }[coding];
  const etag = `"${file.sha256.slice(0, 32)}${suffix}"`;
  const isPlain = coding === 'identity';
  const packed = answering.coding === null ? [] : ['Content-Encoding', answering.coding];
  const type = ['Content-Type', answering.type, 'X-Content-Type-Options', 'nosniff', ...packed];
  const body = [...(isPlain ? [] : ['Content-Encoding', coding]), 'Content-Length', String(sizeBytes)];
  const ranges = isPlain ? ['Accept-Ranges', 'bytes'] : [];
  const caching = ['ETag', etag, 'Cache-Control', cacheControlOf(file.path), 'Vary', 'Accept-Encoding'];
  return {
    source: sourceOf({ sha256: file.sha256, sizeBytes: file.sizeBytes }, coding),
    sizeBytes,
    etag,
    hasRanges: isPlain,
    okHeaders: [...type, ...body, ...caching, ...ranges],
    notModifiedHeaders: [...caching, 'X-Content-Type-Options', 'nosniff'],
    partHeaders: [...type, ...caching, ...ranges],
    notFoundHeaders: [...type, ...body, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding'],
  };
}

/** Returns the compressed body that this client would rather have and that nobody has asked for before, if any. */
export function missingCoding({ compressed }: Entry, acceptEncoding: string | undefined): Compression | null {
  if (compressed === null) return null;
  for (const coding of codingsFor(acceptEncoding)) {
    if (coding === 'identity' || compressed[coding]) return null;
    if (compressed[coding] === undefined) return coding;
  }
  return null;
}

/** Returns the body that this client accepts: the plain one when there is no other. */
export function bodyFor({ plain, compressed }: Entry, acceptEncoding: string | undefined): Body {
  if (compressed === null) return plain;
  for (const coding of codingsFor(acceptEncoding)) {
    const body = coding === 'identity' ? plain : compressed[coding];
    if (body) return body;
  }
  return plain;
}
