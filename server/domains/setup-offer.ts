import type { GetDomainInput, SetupOffer } from '../../routers/schemas/domains.ts';
import { withAskingSlots } from '../account/asking-slots.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import type { DomainRow } from '../database/models/domains/domain.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { registrableDomain } from '../lib/site-domain.ts';
import type { DomainRecord } from '../publishing/platforms/platform.ts';
import { findDomain } from './read.ts';
import { domainTargetOf, requiredRecords } from './records/required-records.ts';

/** Covers the zone's name servers and two answers of its provider, while a person waits. */
const ASK_MS = 8_000;
/** Each asks servers of strangers. */
const OFFERS_PER_MINUTE = 20;

/**
 * Returns the signed link at which the domain's own DNS provider sets its records up, and the records; nothing is
 * written before the person agrees there. Null when the operator has no template, when the domain's records do not fit
 * into it, and when its provider does not offer that. Throws `not_found`, `rate_limited`.
 */
export async function offerSetup(ctx: AccountContext, { domainId }: GetDomainInput): Promise<SetupOffer | null> {
  const domain = await findDomain(ctx, domainId);
  const { domainConnect } = ctx.providers;
  if (domainConnect === undefined || domain.state === 'removing') return null;
  const target = await domainTargetOf(ctx.providers, await findDeployment(ctx, domain.deploymentId));
  const records = requiredRecords(domain, target);
  const values = target.isServedHere ? templateValues(domain, records) : null;
  if (values === null) return null;
  await countAgainst({
    name: 'domain-setups',
    key: ctx.actor.accountId,
    limit: OFFERS_PER_MINUTE,
    windowMs: MINUTE_MS,
  });
  const apex = registrableDomain(domain.unit);
  const host = domain.unit === apex ? '' : domain.unit.slice(0, -apex.length - 1);
  const wanted = { apex, host, serviceId: domainConnect.serviceId, values };
  const link = await withAskingSlots(ctx, { whom: 'name servers', one: `setup of ${domainId}` }, () => {
    const signal = AbortSignal.timeout(ASK_MS);
    return domainConnect.linkFor(wanted, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return null;
    });
  });
  if (link === null) return null;
  return { ...link, records: records.map(({ type, name, value }) => ({ type, name, value })) };
}

/**
 * Returns the variables of the operator's template (README.md), and the groups of it to apply; null for records that
 * it cannot write: an alias of another host, or several addresses of one kind.
 */
function templateValues(
  { unit, proof }: Pick<DomainRow, 'unit' | 'proof'>,
  records: readonly DomainRecord[],
): Record<string, string> | null {
  const valuesOf = (type: DomainRecord['type']): string[] =>
    records.filter((record) => record.type === type && record.name === unit).map(({ value }) => value);
  const [fours, sixes] = [valuesOf('A'), valuesOf('AAAA')];
  const [ipv4, ipv6] = [fours[0], sixes[0]];
  const isWhole = fours.length <= 1 && sixes.length <= 1 && (ipv4 ?? ipv6) !== undefined;
  if (!isWhole || proof.name !== `_fairlead.${unit}`) return null;
  const hasWww = records.some(({ type, name }) => type === 'CNAME' && name === `www.${unit}`);
  const groups = ['proof', ...(ipv4 ? ['ipv4'] : []), ...(ipv6 ? ['ipv6'] : []), ...(hasWww ? ['www'] : [])];
  return {
    groupId: groups.join(','),
    proof: proof.value,
    ...(ipv4 !== undefined && { ipv4 }),
    ...(ipv6 !== undefined && { ipv6 }),
  };
}
