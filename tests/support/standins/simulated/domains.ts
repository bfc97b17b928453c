import * as z from 'zod/mini';
import { type DomainCode, domainAnswer, domainAnswerOf } from '../../../../server/platforms/domain-answers.ts';
import { platformError } from '../../../../server/platforms/failures.ts';
import { ask, makeOnce, type Vendor } from '../../../../server/platforms/http.ts';
import type {
  AttachedDomain,
  DomainRecord,
  PlatformCall,
  PlatformDomain,
} from '../../../../server/platforms/platform.ts';
import { anything, TITLE } from './api.ts';
import { idOf, isMissing } from './site.ts';

/**
 * Domains in two of the ways that platforms have them (vendor/domains.ts): in a list that says which records it wants,
 * with `www` by itself and a certificate that is asked for; and one name a site, with records that its manual names and
 * a certificate that comes by itself.
 */
const recordSchema = z.object({
  type: z.enum(['A', 'AAAA', 'ALIAS', 'CNAME', 'TXT', 'CAA']),
  name: z.string(),
  value: z.string(),
  ttl: z.number(),
  purpose: z.enum(['route', 'proof', 'certificate']),
  required: z.boolean(),
  group: z.nullable(z.string()),
});
const domainSchema = z.object({
  name: z.string(),
  counterpart_of: z.nullable(z.string()),
  ownership: z.nullable(z.string()),
  dns: z.nullable(z.string()),
  certificate: z.nullable(z.string()),
  expires_at: z.nullable(z.string()),
  records: z.array(recordSchema),
});
const domainsSchema = z.object({ domains: z.array(domainSchema) });
type SimulatedDomain = z.infer<typeof domainSchema>;
type SimulatedDomains = z.infer<typeof domainsSchema>;

type Codes = Readonly<Record<string, DomainCode>>;
const OWNERSHIP: Codes = { verified: 'attached', unverified: 'proof_missing' };
const DNS: Codes = { valid: 'points_there', missing: 'records_missing', elsewhere: 'points_elsewhere' };
const CERTIFICATE: Codes = {
  blocked: 'records_missing',
  none: 'certificate_missing',
  ordered: 'certificate_coming',
  issued: 'certificate_issued',
  errored: 'certificate_refused',
};

/** Addresses for documentation (RFC 5737). */
const PAGES = { cname: 'pages.simulated.localhost', a: ['192.0.2.30', '192.0.2.31'] };
const TTL_S = 3_600;

/** Adds the name to the site's list. Throws `domain_taken`, `platform_place_gone`. */
export async function addDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const { domains } = await makeOnce(call, vendor, {
    look: async () => {
      const all = await readAll(vendor, call);
      return all.domains.some((one) => one.name === name && one.counterpart_of === null) ? all : null;
    },
    request: { withToken: true, method: 'POST', url: `${siteUrl(call)}/domains`, json: { name } },
    shape: domainsSchema,
  });
  const all = withTwins(domains, name);
  return {
    records: all.flatMap(({ records }) => records.map(({ group, ...one }) => ({ ...one, alternativeGroup: group }))),
    counterparts: all.slice(1).map((counterpart) => counterpart.name),
  };
}

/** Makes it the one name of the site. Throws `plan_limit` when it has another, `domain_taken`, `platform_place_gone`. */
export async function setDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  await makeOnce(call, vendor, {
    look: async () => {
      const all = await readAll(vendor, call);
      const other = all.domains.find((one) => one.name !== name);
      // It would be replaced without a word.
      if (other !== undefined) throw platformError('plan_limit', TITLE, { said: `the site has ${other.name} already` });
      return all.domains.length > 0 ? all : null;
    },
    request: { withToken: true, method: 'PUT', url: `${siteUrl(call)}/domain`, json: { name } },
    shape: domainsSchema,
  });
  return { records: manualRecords(name), counterparts: [] };
}

/** Returns what the platform says of the name. Throws `platform_place_gone`. */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const found = (await readAll(vendor, call)).domains.find((one) => one.name === name);
  const { dns = null, certificate = null, expires_at: expiresAt = null } = found ?? {};
  return {
    ownership:
      found === undefined ? domainAnswer('not_attached', TITLE) : domainAnswerOf(OWNERSHIP, found.ownership, TITLE),
    dns: domainAnswerOf(DNS, dns, TITLE),
    certificate: {
      ...domainAnswerOf(CERTIFICATE, certificate, TITLE),
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    },
  };
}

/** Orders a certificate, where the platform says that there is none and that it could be had. */
export async function requestCertificate(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  await makeOnce(call, vendor, {
    look: async () => {
      const all = await readAll(vendor, call);
      return all.domains.find((one) => one.name === name)?.certificate === 'none' ? null : all;
    },
    request: { withToken: true, method: 'POST', url: `${siteUrl(call)}/domains/${name}/certificate` },
    shape: domainsSchema,
  });
}

/** Takes away the name and the counterpart that came with it; the platform itself leaves the counterpart. */
export async function dropDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  const all = await unlessGone(readAll(vendor, call));
  for (const one of withTwins(all?.domains ?? [], name)) {
    await unlessGone(
      ask(call, vendor, { withToken: true, method: 'DELETE', url: `${siteUrl(call)}/domains/${one.name}` }, anything),
    );
  }
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function siteUrl(call: PlatformCall): string {
  const siteId = idOf(call.destination.site, 'siteId');
  if (siteId === null) throw platformError('platform_place_gone', TITLE);
  return `/sites/${siteId}`;
}

async function readAll(vendor: Vendor, call: PlatformCall): Promise<SimulatedDomains> {
  return ask(call, vendor, { withToken: true, url: `${siteUrl(call)}/domains` }, domainsSchema);
}

/** Returns the name itself first. */
function withTwins(domains: readonly SimulatedDomain[], name: string): SimulatedDomain[] {
  return [...domains.filter((one) => one.name === name), ...domains.filter((one) => one.counterpart_of === name)];
}

/** A name of two words has nothing above it: here the list of public suffixes is not needed. */
function manualRecords(name: string): DomainRecord[] {
  const route = { name, ttl: TTL_S, purpose: 'route', required: true, alternativeGroup: null } as const;
  if (name.split('.').length > 2) return [{ ...route, type: 'CNAME', value: PAGES.cname }];
  return PAGES.a.map((value) => ({ ...route, type: 'A', value }));
}
