import type { Secrets } from '../../../lib/crypto/secrets.ts';

type KeyOwner = { _id: string; accountId: string };

const contextOf = ({ _id, accountId }: KeyOwner): string => `certificates:${_id}:key:${accountId}`;

/** Seals the key of a certificate for its document: a copy in another row cannot be opened. */
export function sealKey(secrets: Pick<Secrets, 'seal'>, certificate: KeyOwner, key: string): string {
  return secrets.seal(key, contextOf(certificate));
}

/** Opens a key that `sealKey` has sealed for this document. */
export function openKey(secrets: Pick<Secrets, 'open'>, certificate: KeyOwner, sealed: string): string {
  return secrets.open(sealed, contextOf(certificate));
}
