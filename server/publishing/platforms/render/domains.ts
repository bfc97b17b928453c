import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { counterpartsOf } from '../../../lib/site-domain.ts';
import { domainAnswer, notAttached } from '../domain-answers.ts';
import { routeRecords } from '../domain-records.ts';
import { anyObject } from '../git/api.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { AttachedDomain, PlatformCall, PlatformDomain } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { TITLE } from './api.ts';
import { type Service, serviceIn, serviceOf, urlIn } from './service.ts';

/** render.com/docs/configure-other-dns (2026-05), for providers without ALIAS. */
const ADDRESSES = ['216.24.57.1'];

const domainSchema = z.object({ name: z.string(), verificationStatus: z.optional(z.nullable(z.string())) });

/** `POST /services/{id}/custom-domains`: `www` comes with the domain, and the other way round. */
export async function attachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const service = serviceOf(call);
  await makeOnce<unknown>(call, vendor, {
    look: () => findOne(vendor, call, service, name),
    request: { withToken: true, method: 'POST', url: urlIn(service, '/custom-domains'), json: { name } },
    shape: listOf(domainSchema),
  });
  const counterparts = counterpartsOf(name);
  const host = new URL(/^https?:/.test(service.url) ? service.url : `https://${service.url}`).hostname;
  const records = [name, ...counterparts].flatMap((one) => routeRecords(one, { host, addresses: ADDRESSES }));
  return { records, counterparts };
}

/** Returns the state of the name; Render checks its records only on request, and says nothing about certificates. */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const service = serviceOf(call);
  const found = await findOne(vendor, call, service, name);
  if (found === null) return notAttached(TITLE);
  const missing = domainAnswer('records_missing', TITLE);
  const isVerified = found.verificationStatus === 'verified';
  if (!isVerified) {
    const url = urlIn(service, `/custom-domains/${encodeURIComponent(name)}/verify`);
    await ask(call, vendor, { withToken: true, method: 'POST', url }, anyObject);
  }
  const certificate = isVerified ? domainAnswer('certificate_coming', TITLE) : missing;
  return {
    ownership: domainAnswer('attached', TITLE),
    dns: isVerified ? domainAnswer('points_there', TITLE) : missing,
    certificate: { ...certificate, expiresAt: null },
  };
}

/** Removes the name, and the counterpart that came with it. */
export async function detachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  const service = serviceIn(call.destination.site);
  if (service === null) return;
  for (const one of [name, ...counterpartsOf(name).filter((other) => other.startsWith('www.'))]) {
    const url = urlIn(service, `/custom-domains/${encodeURIComponent(one)}`);
    await nullIfNotFound(ask(call, vendor, { withToken: true, method: 'DELETE', url }, anyObject));
  }
}

async function findOne(vendor: Vendor, call: PlatformCall, service: Service, name: string) {
  const list = listOf(z.object({ customDomain: domainSchema }));
  const found = await ask(call, vendor, { withToken: true, url: urlIn(service, '/custom-domains?limit=100') }, list);
  return found.find(({ customDomain }) => customDomain.name === name)?.customDomain ?? null;
}
