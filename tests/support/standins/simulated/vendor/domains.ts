import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { DomainRecord, Records, SiteRecord } from './records.ts';
import {
  json,
  NOT_THERE,
  ok,
  refused,
  type VendorCall,
  type VendorReply,
  type VendorRoute,
  withSite,
} from './route.ts';

/** Holds the names that another account has. */
export const ELSEWHERE = 'elsewhere';

const USUAL_STATES = ['pending'];
const CERTIFICATE_DAYS = 90;
/** Addresses for documentation (RFC 5737): nobody is there. */
const BALANCER = { alias: 'balancer.simulated.localhost', a: '192.0.2.20' };
const PAGES = { cname: 'pages.simulated.localhost', a: ['192.0.2.30', '192.0.2.31'] };
const TTL_S = 3_600;
const ROUTE_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'ALIAS', 'CNAME']);

const newDomain = z.object({ name: z.string() });

type Wanted = {
  type: string;
  name: string;
  value: string;
  ttl: number;
  purpose: string;
  required: boolean;
  group: string | null;
};

/**
 * Domains of the simulated platform. Added to a list, they are as Render's and Vercel's (`www` comes by itself, a name
 * that another account has asks for a TXT record) with the certificate of Netlify, which is asked for; set as the only
 * one, as GitHub's. It sees only the records that `placeRecords` brought.
 */
export const DOMAIN_ROUTES: readonly VendorRoute[] = [
  { method: 'GET', path: '/sites/{id}/domains', step: 'domains', answer: lookAtDomains },
  { method: 'POST', path: '/sites/{id}/domains', step: 'attach', answer: addDomain },
  { method: 'PUT', path: '/sites/{id}/domain', step: 'attach', answer: setDomain },
  {
    method: 'POST',
    path: '/sites/{id}/domains/{part}/certificate',
    step: 'certificate',
    answer: orderCertificate,
  },
  { method: 'DELETE', path: '/sites/{id}/domains/{part}', step: 'detach', answer: deleteDomain },
];

/** Returns what the site has, in no order. */
export async function domainsOf(records: Records, siteId: string): Promise<DomainRecord[]> {
  return (await records.all('domains')).filter(({ site }) => site === siteId);
}

/** Its name is free again, unless another account has it. */
export async function dropDomain(records: Records, domain: DomainRecord): Promise<void> {
  await records.remove('domains', domain.id);
  if ((await records.holderOf(domain.name)) === domain.site) await records.freeName(domain.name);
}

/** Each look moves each of them on by one state: it needs no clock. */
async function lookAtDomains(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const bodies: Record<string, unknown>[] = [];
    for (const domain of await domainsOf(call.records, site.id)) {
      bodies.push(domainBody(call, site, domain));
      await moveOn(call, site, domain);
    }
    return ok({ domains: bodies });
  });
}

async function addDomain(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const { records } = call;
    const { name } = json(newDomain, call.body);
    const known = (await domainsOf(records, site.id)).find((one) => one.name === name);
    if (known?.counterpartOf === null) return refused(422, 'exists', 'Domain is already on this site');
    const domain = known ?? domainFor(call, site, name);
    await records.write('domains', { ...domain, counterpartOf: null });
    if (known === undefined && !(await records.takeName(name, site.id))) {
      if ((await records.holderOf(name)) !== ELSEWHERE) return giveUp(records, domain);
      await records.write('domains', { ...domain, proof: `simulated-verify=${records.newId()}` });
    }
    const counterpart = counterpartOf(name);
    if (counterpart !== null && (await records.takeName(counterpart, site.id))) {
      await records.write('domains', { ...domainFor(call, site, counterpart), counterpartOf: name });
    }
    const all = await domainsOf(records, site.id);
    return ok({ domains: all.map((one) => domainBody(call, site, one)) }, 201);
  });
}

/** It takes the place of the one that was set before. */
async function setDomain(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const { name } = json(newDomain, call.body);
    const before = await domainsOf(call.records, site.id);
    const domain = before.find((one) => one.name === name) ?? { ...domainFor(call, site, name), isFixed: true };
    await call.records.write('domains', domain);
    const isTaken = !before.includes(domain) && !(await call.records.takeName(name, site.id));
    if (isTaken) return giveUp(call.records, domain);
    for (const other of before.filter((one) => one !== domain)) await dropDomain(call.records, other);
    return ok({ domains: [domainBody(call, site, domain)] });
  });
}

async function giveUp(records: Records, domain: DomainRecord): Promise<VendorReply> {
  await records.remove('domains', domain.id);
  return refused(409, 'domain_taken', 'The domain is in use by another site');
}

async function orderCertificate(call: VendorCall): Promise<VendorReply> {
  return withDomain(call, async (site, domain) => {
    if (!seenOf(call, site, domain).isReady) return refused(422, 'dns', 'DNS does not point here');
    const { certificate, orders } = domain;
    const ordered = { ...domain, certificate: certificate === 'none' ? ('ordered' as const) : certificate };
    const next = { ...ordered, orders: orders + 1 };
    await call.records.write('domains', next);
    return ok({ domains: [domainBody(call, site, next)] });
  });
}

async function deleteDomain(call: VendorCall): Promise<VendorReply> {
  return withDomain(call, async (_site, domain) => {
    await dropDomain(call.records, domain);
    return { status: 204 };
  });
}

async function withDomain(
  call: VendorCall,
  work: (site: SiteRecord, domain: DomainRecord) => Promise<VendorReply>,
): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const found = (await domainsOf(call.records, site.id)).find(({ name }) => name === call.parts[1]);
    return found === undefined ? NOT_THERE : work(site, found);
  });
}

function domainFor(call: VendorCall, site: SiteRecord, name: string): DomainRecord {
  const ahead = [...(call.states.length > 0 ? call.states : USUAL_STATES)];
  const plain = {
    id: call.records.newId(),
    site: site.id,
    name,
    counterpartOf: null,
    proof: null,
    isFixed: false,
    ahead,
  };
  return { ...plain, certificate: 'none', expiresAt: null, orders: 0 };
}

/** It keeps no list of public suffixes: a name of two words has nothing above it. */
function isApex(name: string): boolean {
  return name.split('.').length === 2;
}

function counterpartOf(name: string): string | null {
  if (name.startsWith('www.')) return name.slice('www.'.length);
  return isApex(name) ? `www.${name}` : null;
}

function domainBody(call: VendorCall, site: SiteRecord, domain: DomainRecord) {
  const { name, counterpartOf: counterpart, isFixed, ahead, expiresAt } = domain;
  const { isProved, dns, certificate } = seenOf(call, site, domain);
  const [passing] = ahead;
  return {
    name,
    counterpart_of: counterpart,
    ownership: passing ?? (isProved ? 'verified' : 'unverified'),
    dns: passing ?? dns,
    certificate: passing ?? certificate,
    expires_at: isFixed ? null : expiresAt,
    records: isFixed ? [] : wantedBy(call, site, domain),
  };
}

function seenOf(call: VendorCall, site: SiteRecord, domain: DomainRecord) {
  const wanted = wantedBy(call, site, domain);
  const answers = (one: Wanted): boolean =>
    call.zone.some(({ type, name, value }) => type === one.type && name === one.name && value === one.value);
  const isProved = wanted.filter(({ purpose }) => purpose === 'proof').every(answers);
  const there = call.zone.filter(({ name, type }) => name === domain.name && ROUTE_TYPES.has(type));
  const isOurs = there.every((one) => wanted.some(({ type, value }) => type === one.type && value === one.value));
  const dns = there.length === 0 ? 'missing' : isOurs ? 'valid' : 'elsewhere';
  const isReady = isProved && dns === 'valid';
  const certificate = domain.certificate === 'none' && !isReady ? 'blocked' : domain.certificate;
  return { isProved, dns, isReady, certificate };
}

async function moveOn(call: VendorCall, site: SiteRecord, domain: DomainRecord): Promise<void> {
  const { records } = call;
  if (domain.ahead.length > 0) return records.write('domains', { ...domain, ahead: domain.ahead.slice(1) });
  const { isProved, isReady } = seenOf(call, site, domain);
  const next = { ...domain };
  if (isProved && domain.proof !== null) {
    await records.freeName(domain.name);
    await records.takeName(domain.name, site.id);
    next.proof = null;
  }
  if (domain.certificate === 'ordered') {
    next.certificate = 'issued';
    next.expiresAt = inDays(CERTIFICATE_DAYS);
  }
  if (domain.certificate === 'none' && isReady && domain.isFixed) next.certificate = 'ordered';
  if (!isDeepStrictEqual(next, domain)) await records.write('domains', next);
}

function inDays(days: number): string {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString();
}

function wantedBy(call: VendorCall, site: SiteRecord, domain: DomainRecord): Wanted[] {
  const { name, proof, isFixed } = domain;
  const route = { name, ttl: TTL_S, purpose: 'route', required: true, group: null };
  if (isFixed) {
    if (!isApex(name)) return [{ ...route, type: 'CNAME', value: PAGES.cname }];
    return PAGES.a.map((value) => ({ ...route, type: 'A', value }));
  }
  const proofs =
    proof === null ? [] : [{ ...route, type: 'TXT', name: `_simulated.${name}`, value: proof, purpose: 'proof' }];
  const { hostname } = new URL(call.addressOf(site.name));
  if (!isApex(name)) return [{ ...route, type: 'CNAME', value: hostname }, ...proofs];
  const allowed = { type: 'CAA', value: '0 issue "letsencrypt.org"', purpose: 'certificate', required: false };
  return [
    { ...route, type: 'ALIAS', value: BALANCER.alias, group: name },
    { ...route, type: 'A', value: BALANCER.a, group: name },
    ...proofs,
    { ...route, ...allowed },
  ];
}
