import type { Providers } from '../../context.ts';
import { CertificateModel } from '../../database/models/domains/certificate.ts';
import { type DomainRow, namesOf } from '../../database/models/domains/domain.ts';
import { DnsLookupError } from '../../dns/dns-client.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import { knownAccountUrl, knownPersistIssuers } from './account.ts';
import { isGranted, type PersistentGrant, persistentNameOf, persistentText } from './authority/persistent-record.ts';

/** If nobody has made the record, an order waits no longer than this to learn it. */
const LOOK_MS = 3_000;
/** Equals that of all records of a plan: a correction is visible soon. */
const TTL_S = 300;

/** Returns whether every name server of each name shows the record that lets our account have the certificate. */
export async function hasPersistentRecords(
  { authority, dns, now }: Pick<Providers, 'authority' | 'dns' | 'now'>,
  { names, accountUrl }: { names: readonly string[]; accountUrl: string },
  signal: AbortSignal,
): Promise<boolean> {
  const issuers = await knownPersistIssuers(authority.id);
  if (issuers.length === 0 || names.length === 0) return false;
  const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  const isShown = async (name: string): Promise<boolean> => {
    const grant: PersistentGrant = { issuers, accountUrl, isWildcard: name.startsWith('*.') };
    const { answers } = await dns.askNameServers(persistentNameOf(name), 'TXT', within);
    const isThere = ({ values }: (typeof answers)[number]) => values?.some((text) => isGranted(text, grant, now()));
    return answers.length > 0 && answers.every(isThere);
  };
  try {
    return (await Promise.all(names.map(isShown))).every(Boolean);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DnsLookupError || within.aborted) return false;
    throw error;
  }
}

/**
 * Returns the records that prove later certificates of a domain without a write, one a name; none when our authority
 * is not known to accept them. They include its wildcard if there is a certificate for it.
 */
export async function persistentRecords(
  { authority }: Pick<Providers, 'authority'>,
  domain: Pick<DomainRow, '_id' | 'accountId' | 'name' | 'counterpart' | 'unit'>,
): Promise<DomainRecord[]> {
  if (!authority.isPublic) return [];
  const [issuers, accountUrl = ''] = await Promise.all([
    knownPersistIssuers(authority.id),
    knownAccountUrl(authority.id),
  ]);
  const { _id: domainId, accountId, unit } = domain;
  const wildcard = await CertificateModel.exists({ accountId, domainId, isWildcard: true });
  return namesOf(domain).flatMap((name): DomainRecord[] => {
    const value = persistentText({ issuers, accountUrl, isWildcard: wildcard !== null && name === unit });
    if (value === null) return [];
    const record = { type: 'TXT', name: persistentNameOf(name), value, ttl: TTL_S } as const;
    return [{ ...record, purpose: 'certificate', required: false, alternativeGroup: null }];
  });
}
