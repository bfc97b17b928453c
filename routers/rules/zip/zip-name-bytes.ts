import type { ZipEncoding } from '../../schemas/zip-encoding-names.ts';

/**
 * Guesses the encoding of names that no page links to, by their bytes alone. In most encodings every byte is some
 * character, so only the common ones count: kana and the characters of the first level, letters of one alphabet.
 */
const KOREAN = /^(?:[ -~]|[\xb0-\xc8][\xa1-\xfe])*$/;
const PAIRS: readonly (readonly [ZipEncoding, RegExp])[] = [
  ['shift_jis', /^(?:[ -~]|[\x81\x83\x88-\x97][@-~\x80-\xfc]|\x82[O-~\x80-\xf1])*$/],
  ['gbk', /^(?:[ -~]|[\xb0-\xd7][\xa1-\xfe])*$/],
  ['big5', /^(?:[ -~]|[\xa4-\xc6][@-~\xa1-\xfe])*$/],
];
/** Each has its lower-case letters, one of which must occur: capitals alone may be accented Latin as well. */
const LETTERS: readonly (readonly [ZipEncoding, RegExp, RegExp])[] = [
  ['ibm866', /^[ -~\x80-\xaf\xe0-\xf1]*$/, /[\xa0-\xaf\xe0-\xef]/],
  ['windows-1251', /^[ -~\xa8\xb8\xc0-\xff]*$/, /[\xe0-\xff]/],
];
/** The accented letters of code page 437, which are few among Latin ones. */
const LATIN = /^[ -~\x80-\x9a\xa0-\xa5\xe1]*$/;
const MIXED_WORD = /[A-Za-z][\x80-\xff]|[\x80-\xff][A-Za-z]/;

/** Fewer bytes than these are inconclusive. */
const BYTES_MIN = 3;
/** Every Korean syllable is also a Chinese character of the first half: five of them in a row are no coincidence. */
const KOREAN_BYTES_MIN = 10;

/** This much is as conclusive as the whole, and a pattern over megabytes runs out of stack. */
const READ_CHARS = 64 * 1024;

/** Returns the likeliest encoding of names that are not UTF-8; null when their bytes are inconclusive. */
export function encodingOfBytes(rawNames: readonly Uint8Array[]): ZipEncoding | null {
  const text = sampleOf(rawNames);
  const foreign = countOf(text, /[\x80-\xff]/g);
  if (foreign < BYTES_MIN || (LATIN.test(text) && foreign < countOf(text, /[A-Za-z]/g))) return null;
  if (KOREAN.test(text) && foreign >= KOREAN_BYTES_MIN) return 'euc-kr';
  const pair = PAIRS.find(([, bytes]) => bytes.test(text));
  if (pair !== undefined || MIXED_WORD.test(text)) return pair?.[0] ?? null;
  return LETTERS.find(([, bytes, small]) => bytes.test(text) && small.test(text))?.[0] ?? null;
}

function sampleOf(rawNames: readonly Uint8Array[]): string {
  const parts: string[] = [];
  let chars = 0;
  for (const rawName of rawNames) {
    const own = foreignParts(rawName);
    parts.push(...own);
    for (const part of own) chars += part.length;
    if (chars >= READ_CHARS) break;
  }
  return parts.join('/');
}

/** Returns the parts of a name that are not ASCII, one character a byte and without the ending. */
function foreignParts(rawName: Uint8Array): string[] {
  const name = Array.from(rawName, (byte) => String.fromCharCode(byte)).join('');
  return name.split('/').flatMap((part) => (/[\x80-\xff]/.test(part) ? [part.replace(/\.[A-Za-z0-9]+$/, '')] : []));
}

function countOf(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0;
}
