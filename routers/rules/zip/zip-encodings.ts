import { normalForm, normalisePath } from '../../schemas/normal-form.ts';
import { ZIP_ENCODINGS, type ZipEncoding } from '../../schemas/zip-encoding-names.ts';
import { findLinks } from '../uploads/upload-links.ts';
import { encodingOfBytes } from './zip-name-bytes.ts';
import { decodeUtf8 } from './zip-names.ts';

/** `encoding` is the guessed encoding of a name; null when there was nothing to guess. */
export type GuessedName = { name: string; encoding: ZipEncoding | null };

/** The upper halves of the code pages that no browser decodes. */
const CODE_PAGES: Partial<Record<ZipEncoding, string>> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};

type Decode = (bytes: Uint8Array) => string | null;

/** Decodes bytes in one encoding; null when they are not valid in it. */
export function decodeIn(encoding: ZipEncoding, bytes: Uint8Array): string | null {
  return decoderOf(encoding)(bytes);
}

/**
 * Caches a decoder for many names: making one takes longer than a name does, and so does an error for each wrong one.
 */
function decoderOf(encoding: ZipEncoding): Decode {
  const upper = CODE_PAGES[encoding];
  if (upper !== undefined) {
    return (bytes) =>
      Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : upper.charAt(byte - 128))).join('');
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => {
    const text = decoder.decode(bytes);
    return text.includes('\ufffd') ? null : text;
  };
}

/** Decodes a name for display, before anything is known of its archive. */
export function decodeLegibly(rawName: Uint8Array): string {
  return decodeUtf8(rawName) ?? decodeIn('cp437', rawName) ?? '';
}

/** The limits for guessing: enough for the links of a website, without a noticeable wait. */
const READ_MAX = { pages: 200, pageBytes: 256 * 1024, bytes: 1024 * 1024 };

type ListedPage = { rawName: Uint8Array; sizeBytes: number; headerStart: number };

/** A page or style sheet with its bytes. */
export type PageBytes = { rawName: Uint8Array; bytes: Uint8Array };

/** Returns the pages to read for `guessNames`: the first of the archive. */
export function pagesToGuessBy<Page extends ListedPage>(entries: readonly Page[]): Page[] {
  let bytes = 0;
  return entries
    .filter(({ rawName, sizeBytes }) => sizeBytes <= READ_MAX.pageBytes && /\.(html?|css)$/i.test(asciiEnd(rawName)))
    .sort((a, b) => a.headerStart - b.headerStart)
    .slice(0, READ_MAX.pages)
    .filter(({ sizeBytes }) => {
      bytes += sizeBytes;
      return bytes <= READ_MAX.bytes;
    });
}

/** Returns the end of a name as ASCII, which is the same in every encoding. */
function asciiEnd(rawName: Uint8Array): string {
  return String.fromCharCode(...rawName.subarray(-5));
}

/**
 * Decodes names of unknown encoding. Valid UTF-8 counts as that, in the form of macOS, unless a link of the pages
 * names the file otherwise; the rest has the encoding in which the links name most of the files, else the one that its
 * bytes suggest, else code page 437.
 */
export function guessNames(rawNames: readonly Uint8Array[], pages: readonly PageBytes[]): GuessedName[] {
  const best = bestEncoding(rawNames, pages);
  const inUtf8 = rawNames.map((rawName) => decodeUtf8(rawName));
  const isAllUtf8 = best === null && !inUtf8.includes(null);
  const others = rawNames.filter((_, index) => inUtf8[index] === null);
  const encoding = best?.encoding ?? encodingOfBytes(others) ?? 'cp437';
  const decode = decoderOf(encoding);
  return rawNames.map((rawName, index) => {
    const utf8 = inUtf8[index] ?? null;
    const name = decode(rawName);
    if (utf8 !== null && !(name !== null && best?.linked.has(name))) {
      return { name: utf8, encoding: isAllUtf8 ? null : 'utf-8' };
    }
    return name === null ? { name: decodeIn('cp437', rawName) ?? '', encoding: 'cp437' } : { name, encoding };
  });
}

type Encoding = { encoding: ZipEncoding; linked: ReadonlySet<string> };

/** Returns the encoding in which links name most of the names, with those; null when they name none in any. */
function bestEncoding(rawNames: readonly Uint8Array[], pages: readonly PageBytes[]): Encoding | null {
  const texts = pages.map(({ rawName, bytes }) => ({ ending: asciiEnd(rawName), bytes, utf8: decodeUtf8(bytes) }));
  const common = new Set(texts.flatMap(({ ending, utf8 }) => (utf8 === null ? [] : linkedNames(ending, utf8))));
  const old = texts.filter(({ utf8 }) => utf8 === null);
  if (common.size === 0 && old.length === 0) return null;
  let best: Encoding | null = null;
  for (const encoding of encodingsToTry()) {
    const decode = decoderOf(encoding);
    // Old pages have the encoding of the system that they were written on, and so do the names.
    const own = new Set(old.flatMap(({ ending, bytes }) => linkedNames(ending, decode(bytes) ?? '')));
    const isLinked = (segment: string): boolean => common.has(segment) || own.has(segment);
    const names = rawNames.map((rawName) => decode(rawName) ?? '');
    const linked = new Set(names.filter((name) => foreignSegments(name).some(isLinked)));
    if (linked.size > (best?.linked.size ?? 0)) best = { encoding, linked };
  }
  return best;
}

function encodingsToTry(): ZipEncoding[] {
  return Object.keys(ZIP_ENCODINGS).filter((name): name is ZipEncoding => name !== 'utf-8');
}

/** Returns the names beyond ASCII in the links of a page; an address may leave out the ending. */
function linkedNames(path: string, text: string): string[] {
  return findLinks(path, text).flatMap(({ target }) => {
    const segments = foreignSegments(decodedTarget(target));
    return segments.flatMap((segment) => [segment, `${segment}.html`]);
  });
}

function decodedTarget(target: string): string {
  try {
    return normalForm(decodeURIComponent(target.replace(/[?#].*$/s, ''))) ?? '';
  } catch {
    return '';
  }
}

/** Returns the parts of a path that are not ASCII. */
function foreignSegments(path: string): string[] {
  return normalisePath(path)
    .split('/')
    .filter((segment) => /[\u0080-\uffff]/.test(segment));
}
