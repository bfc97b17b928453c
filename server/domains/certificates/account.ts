import { isDeepStrictEqual } from 'node:util';
import type { Providers } from '../../context.ts';
import { AcmeAccountModel } from '../../database/models/domains/acme-account.ts';
import { isDuplicateKey } from '../../database/mongo.ts';
import type { AuthorityCall, Order } from './authority/authority.ts';
import { issuersIn } from './authority/persistent-record.ts';
import { makeKey } from './authority/x509.ts';

type AccountProviders = Pick<Providers, 'authority' | 'secrets'>;

const sealContext = (authorityId: string): string => `acme_accounts:${authorityId}:key:nobody`;

/**
 * Returns our account at the authority, made when first needed. Its key is stored before the request, and the same key
 * finds the same account, so a crash in between makes no second one.
 */
export async function openAccount(
  { authority, secrets }: AccountProviders,
  signal: AbortSignal,
): Promise<AuthorityCall> {
  const { key, url } = await findOrMakeKey({ authority, secrets });
  const accountKey = secrets.open(key, sealContext(authority.id));
  if (typeof url === 'string') return { accountKey, accountUrl: url, signal };
  const accountUrl = await authority.register(accountKey, signal);
  await AcmeAccountModel.updateOne({ _id: authority.id }, { $set: { url: accountUrl } });
  return { accountKey, accountUrl, signal };
}

async function findOrMakeKey({ authority, secrets }: AccountProviders): Promise<{ key: string; url?: string | null }> {
  const known = await AcmeAccountModel.findById(authority.id).lean();
  if (known !== null) return known;
  const { pem } = await makeKey();
  const made = { _id: authority.id, key: secrets.seal(pem, sealContext(authority.id)) };
  await AcmeAccountModel.create(made).catch((error: unknown) => {
    if (!isDuplicateKey(error, '_id')) throw error;
  });
  // Another process may have been faster: the stored key counts.
  return (await AcmeAccountModel.findById(authority.id).lean()) ?? made;
}

/** Returns the address of our account at the authority; undefined when there is none. */
export async function knownAccountUrl(authorityId: string): Promise<string | undefined> {
  return (await AcmeAccountModel.findById(authorityId, { url: 1 }).lean())?.url ?? undefined;
}

/** Forgets an account that the authority no longer knows; the same key is registered again when needed. */
export async function forgetAccount(authorityId: string): Promise<void> {
  await AcmeAccountModel.updateOne({ _id: authorityId }, { $set: { url: null } });
}

/** Stores the names for persistent records that an order offers: plans and later orders use them. */
export async function savePersistIssuers(authorityId: string, { authorizations }: Order): Promise<void> {
  const open = authorizations.filter(({ status }) => status === 'pending');
  if (open.length === 0) return;
  const persistIssuers = [...issuersIn(open.flatMap(({ challenges }) => challenges))];
  if (isDeepStrictEqual(await knownPersistIssuers(authorityId), persistIssuers)) return;
  await AcmeAccountModel.updateOne({ _id: authorityId }, { $set: { persistIssuers } });
}

/** Returns the authority's names for persistent records; empty when it is not known to accept them. */
export async function knownPersistIssuers(authorityId: string): Promise<readonly string[]> {
  return (await AcmeAccountModel.findById(authorityId, { persistIssuers: 1 }).lean())?.persistIssuers ?? [];
}
