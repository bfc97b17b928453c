import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import type { DomainRow } from '../../database/models/domains/domain.ts';
import { canonicalAddress } from '../../dns/queries/canonical-address.ts';
import { type DnsAnswers, setKey } from './dns-answers.ts';
import type { Problem } from './name-server-problem.ts';
import type { DomainTarget } from './required-records.ts';

type Found = {
  domain: Pick<DomainRow, 'rightRecords'>;
  answers: DnsAnswers;
  records: readonly CheckedRecord[];
  target: DomainTarget;
};

/** Reports a stray AAAA record, which visitors with IPv6 and certificate authorities follow first. */
export function strayAddress(found: Found): Problem | null {
  const { records, target } = found;
  for (const { name } of records.filter(({ purpose, state }) => purpose === 'route' && state === 'ok')) {
    const stray = strayAt(name, found);
    if (stray === undefined) continue;
    const message = `The AAAA record of ${stray.at} points to ${stray.address}, which is another server.`;
    const six = target.isServedHere ? target.addresses.find((address) => address.includes(':')) : undefined;
    const hint = `Remove the AAAA record of ${stray.at}${six === undefined ? '' : `, or set it to ${six}`}.`;
    return { code: 'aaaa_elsewhere', message, hint };
  }
  return null;
}

/**
 * Reports such an address before the other records were ever right, so that all can be changed at once. A name below
 * the zone may have it of a wildcard, and loses it by getting a record of its own.
 */
export function strayBefore(found: Found): Problem | null {
  const { domain, records, answers } = found;
  const name = answers.zone?.apex;
  const isRoute = (one: CheckedRecord) => one.purpose === 'route' && one.name === name;
  if (name === undefined || domain.rightRecords.length > 0 || !records.some(isRoute)) return null;
  const stray = strayAt(name, found);
  if (stray === undefined) return null;
  const message = `${name} has the IPv6 address (AAAA) of another server, ${stray.address}.`;
  const hint = 'Remove it when you set the records shown. Otherwise visitors with IPv6 do not see your site.';
  return { code: 'aaaa_elsewhere', message, hint };
}

/** Returns an IPv6 address of a name that leads elsewhere, and the name that has it: an alias has that of its target. */
function strayAt(name: string, { records, answers, target }: Found): { address: string; at: string } | undefined {
  const found = answers.nameServers.get(setKey({ name, type: 'AAAA' })) ?? [];
  const own = target.isServedHere ? target.addresses : addressesThere(name, records, answers);
  if (own === null) return undefined;
  return found
    .flatMap(({ values, cname }) => (values ?? []).map((address) => ({ address, at: cname ?? name })))
    .find(({ address }) => !own.includes(canonicalAddress(address)));
}

/** Returns the IPv6 addresses that a name may have at a platform; null when its alias has them. */
function addressesThere(name: string, records: readonly CheckedRecord[], { hosts }: DnsAnswers): string[] | null {
  const route = records.filter((record) => record.name === name && record.purpose === 'route');
  const isUnknown = route.some(
    ({ type, value }) => type === 'CNAME' || (type === 'ALIAS' && !hosts.get(value)?.length),
  );
  if (isUnknown) return null;
  const own = route.flatMap(({ type, value }) => (type === 'AAAA' ? [value] : (hosts.get(value) ?? [])));
  return own.map(canonicalAddress);
}
