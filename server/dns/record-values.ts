import { isUtf8 } from 'node:buffer';

/** A character string holds 255 bytes (RFC 1035, section 3.3). */
const STRING_MAX_BYTES = 255;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Each match begins where the last one ended, so that a missing end is searched for once. */
const CHARACTER_STRING = /[ \t]*"((?:[^"\\]|\\[\s\S])*)"/gy;
/** RFC 1035, section 5.1, counts bytes in decimal; Route 53 in octal. */
const ESCAPES = { 10: /\\(\d{3}|[\s\S])/g, 8: /\\([0-7]{3}|[\s\S])/g } as const;

export type EscapeBase = keyof typeof ESCAPES;

/** Returns the text of a TXT record as quoted character strings. */
export function toCharacterStrings(text: string, base: EscapeBase = 10): string {
  const bytes = Buffer.from(text);
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += STRING_MAX_BYTES) {
    strings.push(`"${escaped(bytes.subarray(at, at + STRING_MAX_BYTES), base)}"`);
  }
  return strings.join(' ');
}

function escaped(bytes: Uint8Array, base: EscapeBase): string {
  return Array.from(bytes, (byte) => {
    if (byte === QUOTE || byte === BACKSLASH) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\${byte.toString(base).padStart(3, '0')}`;
  }).join('');
}

/** Joins quoted character strings; a text that does not begin with a quote is taken unchanged. */
export function fromCharacterStrings(value: string, base: EscapeBase = 10): string {
  if (!value.startsWith('"')) return value;
  // Each escape is one byte of UTF-8, so the bytes are joined before they are decoded.
  const bytes = Buffer.from(value).toString('latin1');
  const joined = [...bytes.matchAll(CHARACTER_STRING)].map(([, inner = '']) => inner).join('');
  const plain = joined.replace(ESCAPES[base], (_escape, what: string) =>
    what.length === 3 ? String.fromCharCode(Number.parseInt(what, base) & 0xff) : what,
  );
  return textFrom(Buffer.from(plain, 'latin1'));
}

/** Returns bytes as text: one character each if they are not UTF-8, so that different values hardly ever read alike. */
export function textFrom(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

const CAA = /^(\d{1,3}) ([a-z0-9]+) "(.*)"$/i;

/** Returns the three parts of `0 issue "ca.example"` (RFC 8659, section 4.1); null for any other text. */
export function caaPartsOf(value: string): { flags: number; tag: string; value: string } | null {
  const [, flags, tag, text] = CAA.exec(value) ?? [];
  return flags === undefined || tag === undefined || text === undefined
    ? null
    : { flags: Number(flags), tag: tag.toLowerCase(), value: text };
}

/** Values of these types end in a name. */
const NAMING: ReadonlySet<string> = new Set(['CNAME', 'ALIAS', 'NS', 'MX', 'PTR', 'SRV', 'DNAME']);

/** Returns whether values of this type end in a name, which is compared without case and without its last dot. */
export function endsInName(type: string): boolean {
  return NAMING.has(type);
}

/** Returns a value that ends in a whole name in comparable form. */
export function comparableName(value: string): string {
  return value.toLowerCase().replace(/(?<=[^ ])\.$/, '');
}

/** Returns a value of a zone file in comparable form: a text without its quotes, a name without its last dot. */
export function plainValue(type: string, value: string, base?: EscapeBase): string {
  if (type === 'TXT') return fromCharacterStrings(value, base);
  return endsInName(type) ? comparableName(value) : value;
}

/** Returns a value in the form of a zone file: a text in quotes, a name with its last dot. */
export function zoneFileValue(type: string, value: string, base?: EscapeBase): string {
  if (type === 'TXT') return toCharacterStrings(value, base);
  return endsInName(type) ? `${value}.` : value;
}
