import type { VariantSlice, Variants } from '../../store/variants.ts';
import { cacheControlOf } from './cache-rule.ts';
import type { ContentFacts } from './content-facts.ts';
import { type Answering, answeringOf, contentTypeOf, isDecidedByContent } from './content-types.ts';
import { type Coding, codingsFor } from './encoding.ts';
import type { Source } from './file-cache.ts';

/** One body of a file with everything about its answers that never changes, finished once. */
export type Body = {
  source: Source;
  sizeBytes: number;
  etag: string;
  /** Ranges are of the plain body alone: those of two encodings would not fit together. */
  hasRanges: boolean;
  /** Lists name, value, name, value, as `writeHead` takes them. */
  okHeaders: string[];
  notModifiedHeaders: string[];
  /** Leaves out length and range, which differ by request. */
  partHeaders: string[];
  /** Are sent with a page that stands in for what does not exist. */
  notFoundHeaders: string[];
};

/** One file of a release: its plain body, and the compressed ones that there are by now. */
export type Entry = {
  path: string;
  isPage: boolean;
  plain: Body;
  variants: { br: Body | null; gzip: Body | null } | null;
  /** Makes its headers right for what it holds, once somebody has looked; null where its name says all. */
  decide: ((facts: ContentFacts) => void) | null;
};

type File = { path: string; sha256: string; sizeBytes: number };

/** Returns a file of a release with its headers made once; without `variants` it is sent plain. */
export function prepareServedFile(
  file: File & { paths: { has(path: string): boolean } },
  variants: Variants | undefined,
): Entry {
  const type = contentTypeOf(file.path);
  const entry: Entry = {
    path: file.path,
    isPage: type.startsWith('text/html'),
    ...bodiesOf(file, { type, coding: null }, variants),
    decide: null,
  };
  if (isDecidedByContent(file)) {
    entry.decide = (facts) => {
      Object.assign(entry, bodiesOf(file, answeringOf(file, facts), variants));
      entry.decide = null;
    };
  }
  return entry;
}

function bodiesOf(file: File, answering: Answering, variants: Variants | undefined): Pick<Entry, 'plain' | 'variants'> {
  const whole = { sha256: file.sha256, sizeBytes: file.sizeBytes };
  const plain = { key: file.sha256, artifact: whole, start: 0, end: file.sizeBytes };
  const finish = (slice: VariantSlice | null | undefined, coding: 'br' | 'gzip'): Body | null =>
    slice === null || slice === undefined ? null : finishBody(file, answering, sourceOf(slice), coding);
  const br = finish(variants?.br, 'br');
  const gzip = finish(variants?.gzip, 'gzip');
  return {
    plain: finishBody(file, answering, plain, 'identity'),
    variants: br === null && gzip === null ? null : { br, gzip },
  };
}

function sourceOf({ pack, start, end }: VariantSlice): Source {
  return { key: `${pack.sha256}/${start}`, artifact: pack, start, end };
}

function finishBody(file: File, answering: Answering, source: Source, coding: Coding): Body {
  // Strong: 128 bits of the hash are plenty, and each encoding has a tag of its own (RFC 9110, section 8.8.3.3).
  const suffix = { identity: '', br: '-br', gzip: '-gz' }[coding];
  const etag = `"${file.sha256.slice(0, 32)}${suffix}"`;
  const sizeBytes = source.end - source.start;
  const isPlain = coding === 'identity';
  const packed = answering.coding === null ? [] : ['Content-Encoding', answering.coding];
  const type = ['Content-Type', answering.type, 'X-Content-Type-Options', 'nosniff', ...packed];
  const body = [...(isPlain ? [] : ['Content-Encoding', coding]), 'Content-Length', String(sizeBytes)];
  const ranges = isPlain ? ['Accept-Ranges', 'bytes'] : [];
  const caching = ['ETag', etag, 'Cache-Control', cacheControlOf(file.path), 'Vary', 'Accept-Encoding'];
  return {
    source,
    sizeBytes,
    etag,
    hasRanges: isPlain,
    okHeaders: [...type, ...body, ...caching, ...ranges],
    notModifiedHeaders: [...caching, 'X-Content-Type-Options', 'nosniff'],
    partHeaders: [...type, ...caching, ...ranges],
    notFoundHeaders: [...type, ...body, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding'],
  };
}

/** Returns the body that this client takes: the plain one where there is no other. */
export function bodyFor({ plain, variants }: Entry, acceptEncoding: string | undefined): Body {
  if (variants === null) return plain;
  for (const coding of codingsFor(acceptEncoding)) {
    const body = coding === 'identity' ? plain : variants[coding];
    if (body !== null) return body;
  }
  return plain;
}
