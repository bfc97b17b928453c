import type { Secrets } from '../../../lib/crypto/secrets.ts';

type Place = { _id: string; accountId: string };

const contextOf = ({ _id, accountId }: Place): string => `certificates:${_id}:key:${accountId}`;

/** Seals the key of a certificate for its document: a copy in another row cannot be opened. */
export function sealKey(secrets: Pick<Secrets, 'seal'>, place: Place, key: string): string {
  return secrets.seal(key, contextOf(place));
}

/** Opens a key that `sealKey` has sealed for this document. */
export function openKey(secrets: Pick<Secrets, 'open'>, place: Place, sealed: string): string {
  return secrets.open(sealed, contextOf(place));
}
