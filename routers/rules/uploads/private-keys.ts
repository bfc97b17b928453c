/** These functions recognize private keys by their content, since public keys have the same endings. */

/** A chain of certificates with its key is shorter; this much of each file is read. */
export const KEY_READ_BYTES = 64 * 1024;

/** Endings of private keys and of other files: these are published if their content is known to be something else. */
const KEY_NAME = /\.(?:pem|key|p8|pk8)$/i;
/** Endings of certificates, of public keys and of OpenPGP files: published unless their content is private. */
const PUBLIC_NAME = /\.(?:asc|gpg|pgp|sec|der|crt|cer|cert|pub)$/i;

/** The forms are PEM (RFC 7468), OpenPGP (RFC 9580), SSH (RFC 4716), PuTTY and age. */
const PRIVATE_TEXT = /-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY|^PuTTY-User-Key-File-|\bAGE-SECRET-KEY-1/m;
const PUBLIC_TEXT = /-{4,5} ?BEGIN [A-Z0-9 ]+-{4,5}|^(?:ssh|ecdsa-sha2|sk-ssh|sk-ecdsa)-[a-z0-9-]/m;

/** Returns whether the name alone leaves open if the file is a private key. */
export function mayBePrivateKey(path: string): boolean {
  return KEY_NAME.test(path) || PUBLIC_NAME.test(path);
}

/** `start` has the first `KEY_READ_BYTES` of the file, or nothing if it was not read. */
export function isPrivateKey(path: string, start: Uint8Array): boolean {
  // Windows writes text in UTF-16 as well: then every second byte is zero.
  const text = new TextDecoder('latin1').decode(start).replaceAll('\0', '');
  // A page in AsciiDoc has this ending too, and may show a key.
  const isPage = /\.asc$/i.test(path) && !/^\W*-----BEGIN/.test(text);
  if ((PRIVATE_TEXT.test(text) && !isPage) || isPrivatePacket(start) || isPrivateDer(start)) return true;
  return KEY_NAME.test(path) && !PUBLIC_TEXT.test(text) && !isPublicBinary(start);
}

/**
 * Returns the tag of the first packet of binary OpenPGP (RFC 9580, 4.2): 5 or 7 for a secret key, 6 for a public one.
 * The version after the length distinguishes it from text.
 */
function packetTag(start: Uint8Array): number | null {
  const [first = 0, length = 0] = start;
  if ((first & 0x80) === 0) return null;
  const isOld = (first & 0x40) === 0;
  const oldBytes = [1, 2, 4][first & 3] ?? 0;
  const newBytes = length < 192 ? 1 : length < 255 ? 2 : 5;
  const version = start[1 + (isOld ? oldBytes : newBytes)] ?? 0;
  if (version < 2 || version > 6) return null;
  return isOld ? (first & 0x3f) >> 2 : first & 0x3f;
}

function isPrivatePacket(start: Uint8Array): boolean {
  const tag = packetTag(start);
  return tag === 5 || tag === 7;
}

/** Returns the content of the outer sequence of a DER file (X.690), or null. */
function insideOfDer(start: Uint8Array): Uint8Array | null {
  const [tag, length = 0] = start;
  if (tag !== 0x30) return null;
  return start.subarray(2 + (length > 0x80 ? length & 0x7f : 0));
}

/** Matches the password-based algorithms, with which an encrypted key begins (PKCS #5, RFC 8018). */
const PKCS5 = '2a864886f70d0105';

/**
 * Detects a private key, which begins with its version, a small number (RFC 5208, 5915, 8017); an encrypted one begins
 * with its algorithm.
 */
function isPrivateDer(start: Uint8Array): boolean {
  const inside = insideOfDer(start);
  if (inside === null) return false;
  if (inside[0] === 0x02 && inside[1] === 0x01) return true;
  const algorithm = Array.from(inside.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return inside[0] === 0x30 && algorithm.includes(PKCS5);
}

/**
 * Detects public files: a Keynote talk is a ZIP, certificates and public keys are sequences of sequences, and a public
 * keyring names itself.
 */
function isPublicBinary(start: Uint8Array): boolean {
  const [p, k, three, four] = start;
  if (p === 0x50 && k === 0x4b && three === 3 && four === 4) return true;
  return insideOfDer(start)?.[0] === 0x30 || packetTag(start) === 6;
}
