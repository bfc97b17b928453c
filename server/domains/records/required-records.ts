import { isIP } from 'node:net';
import { PLATFORM_CAPABILITIES } from '../../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Providers } from '../../context.ts';
import { type DomainRow, namesOf } from '../../database/models/domains/domain.ts';
import { type DeploymentRow, primaryOf } from '../../database/models/publishing/deployment.ts';
import { canonicalAddress } from '../../dns/queries/canonical-address.ts';
import { isRegistrableDomain } from '../../lib/site-domain.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';

/** A correction is soon visible. */
export const TTL_S = 300;

/**
 * The target of a domain's names: our own host, or the platform whose records `attached` holds. `issuers` are the
 * platform's certificate authorities, as CAA records name them.
 */
export type DomainTarget = {
  isServedHere: boolean;
  addresses: readonly string[];
  alias: string | null;
  issuers: readonly string[];
};

type Named = Pick<DomainRow, 'name' | 'counterpart' | 'unit' | 'proof'> & {
  attached?: { records: readonly unknown[] } | null | undefined;
};

/** Returns the target of a deployment's domains: its primary destination. */
export function domainTargetOf(
  providers: Pick<Providers, 'sitesAddresses' | 'addresses'>,
  deployment: Pick<DeploymentRow, 'primaryId' | 'destinations'>,
): Promise<DomainTarget> {
  return domainTargetAt(providers, primaryOf(deployment).platform);
}

/** Returns the target of the domains of a deployment with this primary platform. */
export async function domainTargetAt(
  { sitesAddresses, addresses }: Pick<Providers, 'sitesAddresses' | 'addresses'>,
  platform: PlatformId,
): Promise<DomainTarget> {
  if (PLATFORMS[platform].isServedHere !== true) {
    const issuers = PLATFORM_CAPABILITIES[platform]?.domain?.certificate.issuers ?? [];
    return { isServedHere: false, addresses: [], alias: null, issuers };
  }
  const { given, found } = await sitesAddresses();
  // Looked-up addresses may change, and an alias follows them.
  const alias = given ? null : addresses.sitesDomain;
  return { isServedHere: true, addresses: found.map(canonicalAddress), alias, issuers: [] };
}

/** Returns the records that a domain needs: the owner's proof first. */
export function requiredRecords(domain: Named, target: DomainTarget): DomainRecord[] {
  const { name, value } = domain.proof;
  const proof = { type: 'TXT', name, value, ttl: TTL_S, purpose: 'proof' } as const;
  const route = target.isServedHere
    ? namesOf(domain).flatMap((name) => recordsHere(domain, name, target))
    : storedRecords(domain.attached?.records ?? []);
  return [{ ...proof, required: true, alternativeGroup: null }, ...route];
}

function recordsHere({ unit }: Named, name: string, { addresses, alias }: DomainTarget): DomainRecord[] {
  const record = { name, ttl: TTL_S, purpose: 'route', alternativeGroup: null } as const;
  // `www` follows the name below it, which cannot be an alias itself (RFC 1034, section 3.6.2).
  if (name !== unit) return [{ ...record, type: 'CNAME', value: unit, required: false }];
  if (alias !== null && !isRegistrableDomain(name)) return [{ ...record, type: 'CNAME', value: alias, required: true }];
  const hasFour = addresses.some((address) => isIP(address) === 4);
  return addresses.map((address) => {
    const type = isIP(address) === 6 ? 'AAAA' : 'A';
    return { ...record, type, value: address, required: type === 'A' || !hasFour };
  });
}

/** The schema leaves the field free; only an adapter's answers are ever written to it. */
function storedRecords(stored: readonly unknown[]): DomainRecord[] {
  return stored as DomainRecord[];
}
