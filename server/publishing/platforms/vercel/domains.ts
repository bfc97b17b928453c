import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { AppError } from '../../../lib/errors.ts';
import { domainAnswer, notAttached } from '../domain-answers.ts';
import { requiredRecord } from '../domain-records.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { AttachedDomain, DomainRecord, PlatformCall, PlatformDomain } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { anyObject, TITLE, withFailures, withTeam } from './api.ts';
import { projectIdOf, projectUrl } from './project.ts';

/** Used when the API names none: vercel.com/docs/domains, "Adding and configuring a custom domain" (February 2026). */
const MANUAL = { a: ['76.76.21.21'], cname: 'cname.vercel-dns.com' };

const domainSchema = z.object({
  name: z.string(),
  apexName: z.string(),
  verified: z.boolean(),
  verification: z.optional(z.nullable(listOf(z.object({ type: z.string(), domain: z.string(), value: z.string() })))),
});
type ProjectDomain = z.infer<typeof domainSchema>;

const configSchema = z.object({
  misconfigured: z.boolean(),
  recommendedIPv4: z.optional(z.nullable(listOf(z.object({ rank: z.number(), value: listOf(z.string()) })))),
  recommendedCNAME: z.optional(z.nullable(listOf(z.object({ rank: z.number(), value: z.string() })))),
});

/** Adds a domain to a project. Throws `domain_taken`, `platform_place_gone`. */
export async function attachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const attached = await makeOnce(call, attaching(vendor), {
    look: () => readOne(vendor, call, name),
    request: withTeam(call, { method: 'POST', url: `${projectUrl(call, 'v10')}/domains`, json: { name } }),
    shape: domainSchema,
  });
  const { recommendedIPv4, recommendedCNAME } = await readConfig(vendor, call, name);
  const addresses = firstOf(recommendedIPv4)?.value ?? MANUAL.a;
  const host = firstOf(recommendedCNAME)?.value.replace(/\.$/, '') ?? MANUAL.cname;
  const routes: DomainRecord[] =
    name === attached.apexName
      ? addresses.map((value) => requiredRecord({ type: 'A', name, value }))
      : [requiredRecord({ type: 'CNAME', name, value: host })];
  return { records: [...routes, ...proofs(attached)], counterparts: [] };
}

/**
 * Describes the API for adding a domain: one status means that another project has the domain, or that the token lacks
 * the right, and the words tell them apart.
 */
function attaching(vendor: Vendor): Vendor {
  const taken = withFailures(vendor, { 409: 'domain_taken' });
  return {
    ...taken,
    sort: (status, body, headers) => {
      const isOfDomain = status === 403 && /\bdomain\b/i.test(vendor.words(body, headers) ?? '');
      return isOfDomain ? 'domain_taken' : taken.sort?.(status, body, headers);
    },
  };
}

/** Returns the values of the first rank, which Vercel prefers. */
function firstOf<T extends { rank: number }>(ranked: readonly T[] | null | undefined): T | undefined {
  return (ranked ?? []).toSorted((a, b) => a.rank - b.rank)[0];
}

function proofs({ verified, verification }: ProjectDomain): DomainRecord[] {
  if (verified) return [];
  return (verification ?? [])
    .filter(({ type }) => type === 'TXT')
    .map(({ domain: name, value }) => requiredRecord({ type: 'TXT', name, value, purpose: 'proof' }));
}

/**
 * "Get a project domain" and "Get a Domain's configuration". About the certificate Vercel says only that it will come.
 */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const found = await readOne(vendor, call, name);
  if (found === null) return notAttached(TITLE);
  const isVerified = found.verified || (await verify(vendor, call, name));
  const { misconfigured } = await readConfig(vendor, call, name);
  const certificate = domainAnswer(isVerified && !misconfigured ? 'certificate_coming' : 'records_missing', TITLE);
  return {
    ownership: domainAnswer(isVerified ? 'attached' : 'proof_missing', TITLE),
    dns: domainAnswer(misconfigured ? 'records_missing' : 'points_there', TITLE),
    certificate: { ...certificate, expiresAt: null },
  };
}

/** "Verify project domain": Vercel checks the record only on request. */
async function verify(vendor: Vendor, call: PlatformCall, name: string): Promise<boolean> {
  const request = withTeam(call, { method: 'POST', url: `${domainUrl(call, name)}/verify` });
  try {
    return (await ask(call, vendor, request, z.object({ verified: z.boolean() }))).verified;
  } catch (error) {
    // The record does not exist, or has another value.
    if (error instanceof AppError && error.code === 'platform_failed') return false;
    throw error;
  }
}

/** "Remove a domain from a project"; a missing one is no error. */
export async function detachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  if (stringField(call.destination.site, 'projectId') === null) return;
  await nullIfNotFound(
    makeOnce<unknown>(call, vendor, {
      look: async () => ((await readOne(vendor, call, name)) === null ? {} : null),
      request: withTeam(call, { method: 'DELETE', url: domainUrl(call, name) }),
      shape: anyObject,
    }),
  );
}

async function readOne(vendor: Vendor, call: PlatformCall, name: string): Promise<ProjectDomain | null> {
  return nullIfNotFound(ask(call, vendor, withTeam(call, { url: domainUrl(call, name) }), domainSchema));
}

/** Reads the configuration for this project: the CNAME that it wants may be its own. */
async function readConfig(vendor: Vendor, call: PlatformCall, name: string) {
  const project = encodeURIComponent(projectIdOf(call));
  const url = `/v6/domains/${encodeURIComponent(name)}/config?projectIdOrName=${project}`;
  return ask(call, vendor, withTeam(call, { url }), configSchema);
}

function domainUrl(call: PlatformCall, name: string): string {
  return `${projectUrl(call, 'v9')}/domains/${encodeURIComponent(name)}`;
}
