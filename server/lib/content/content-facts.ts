import { isUtf8 } from 'node:buffer';

/** Facts about the bytes of a file that decide its headers where its name leaves them open (content-types.ts). */
export type ContentFacts = { isUtf8: boolean; kind: 'gzip' | 'zip' | null };

/** Returns the facts of a content that is there as a whole. */
export function factsOf(bytes: Buffer): ContentFacts {
  return { isUtf8: isUtf8(bytes) && !isIso2022(bytes), kind: kindOf(bytes) };
}

/** Finds the facts of a content whose pieces arrive one by one. */
export type FactsReader = { add(piece: Uint8Array): void; soFar(): ContentFacts; end(): ContentFacts };

export function createFactsReader(): FactsReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let kind: ContentFacts['kind'] = null;
  let isText = true;
  let isFirst = true;

  /** A character may continue in the next piece, if there is one. */
  function decode(bytes: Uint8Array, stream: boolean): void {
    try {
      if (isText) decoder.decode(bytes, { stream });
    } catch {
      isText = false;
    }
  }

  const soFar = (): ContentFacts => ({ isUtf8: isText, kind });
  return {
    add(piece) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      if (isFirst) kind = kindOf(bytes);
      isFirst = false;
      decode(bytes, true);
      if (isIso2022(bytes)) isText = false;
    },
    soFar,
    end() {
      decode(new Uint8Array(), false);
      return soFar();
    },
  };
}

/** Recognises the Japanese encoding whose bytes are all ASCII: it switches its characters by ESC $ (RFC 1468). */
function isIso2022(bytes: Buffer): boolean {
  return bytes.includes('\u001b$');
}

function kindOf(bytes: Buffer): ContentFacts['kind'] {
  const start = bytes.toString('latin1', 0, 4);
  if (start.startsWith('\u001f\u008b')) return 'gzip';
  return start === 'PK\u0003\u0004' ? 'zip' : null;
}
