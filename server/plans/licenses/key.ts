import { randomBytes } from 'node:crypto';
import {
  LICENSE_KEY_ALPHABET,
  LICENSE_KEY_SYMBOLS,
  LICENSE_PREFIX_LENGTH,
  licenseKeyOf,
} from '../../../routers/schemas/license-key.ts';
import type { LicenseAct } from '../../../routers/schemas/licenses.ts';
import { LICENSE_HISTORY_MAX } from '../../database/models/plans/license.ts';
import { newId } from '../../database/mongo.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';

/** The stored part of a key. */
export type NewKey = { key: string; stored: { _id: string; hash: string; prefix: string } };

/** Makes a license key, and the part that is stored. */
export function newLicenseKey(): NewKey {
  let symbols = '';
  // 256 is a multiple of 32, so all symbols are equally likely.
  for (const byte of randomBytes(LICENSE_KEY_SYMBOLS)) symbols += LICENSE_KEY_ALPHABET.charAt(byte % 32);
  const key = licenseKeyOf(symbols);
  return { key, stored: { _id: newId(), hash: hashToken(key), prefix: key.slice(0, LICENSE_PREFIX_LENGTH) } };
}

/** Returns the update that adds to the history of a license. */
export function historyOf(what: LicenseAct, at: Date) {
  return { history: { $each: [{ at, what }], $slice: -LICENSE_HISTORY_MAX } };
}
