import * as z from 'zod/mini';
import { counterpartsOf, isRegistrableDomain, registrableDomain } from '../../../lib/site-domain.ts';
import { type DomainAnswer, type DomainCode, domainAnswer, domainAnswerOf, notAttached } from '../domain-answers.ts';
import { requiredRecord, routeRecords } from '../domain-records.ts';
import { platformError } from '../failures.ts';
import { anyObject, TITLE } from '../git/api.ts';
import { ownAddress, webOrigin } from '../git/hosts.ts';
import { type Repository, repositoryIn, urlIn } from '../git/repository.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { AttachedDomain, DomainRecord, PlatformCall, PlatformDomain } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { changeOf, type PagesSite, readPagesSite } from './pages.ts';

/**
 * A website has one domain, and GitHub redirects its counterpart (`www`, or the domain below that) to it once the
 * counterpart has records, too. GitHub writes the domain into the branch, as `CNAME`. The certificate is made by
 * itself; only then can HTTPS be enforced, with a request of its own.
 */
const ADDRESSES = {
  // docs.github.com, "Managing a custom domain for your GitHub Pages site" (2026-07).
  A: ['185.199.108.153', '185.199.109.153', '185.199.110.153', '185.199.111.153'],
  AAAA: ['2606:50c0:8000::153', '2606:50c0:8001::153', '2606:50c0:8002::153', '2606:50c0:8003::153'],
} as const;

/** docs.github.com/rest/pages, `https_certificate`. */
const STATES: Readonly<Record<string, DomainCode>> = {
  new: 'certificate_coming',
  authorization_created: 'certificate_coming',
  authorization_pending: 'certificate_coming',
  authorized: 'certificate_coming',
  issued: 'certificate_coming',
  uploaded: 'certificate_coming',
  approved: 'certificate_issued',
  authorization_revoked: 'certificate_refused',
  errored: 'certificate_refused',
  bad_authz: 'certificate_refused',
  dns_changed: 'certificate_refused',
  destroy_pending: 'certificate_refused',
};

const checkSchema = z.object({
  host: z.optional(z.string()),
  dns_resolves: z.optional(z.nullable(z.boolean())),
  is_valid: z.optional(z.nullable(z.boolean())),
});
/** An answer without a domain means that the check has only begun. */
const healthSchema = z.object({
  domain: z.optional(z.nullable(checkSchema)),
  alt_domain: z.optional(z.nullable(checkSchema)),
});

/** Sets the domain of the website. Throws `domain_taken`, `plan_limit`, `platform_place_gone`. */
export async function attachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const repository = repositoryOf(call);
  await makeOnce<unknown>(call, vendor, {
    look: async () => {
      const { cname } = await readPagesSite(vendor, call, repository);
      if (!cname) return null;
      if (cname === name) return {};
      throw platformError('plan_limit', TITLE, {
        said: `a website can have only one domain, and this one already has ${cname}`,
      });
    },
    request: changeOf(repository, { cname: name }),
    shape: anyObject,
  });
  const host = hostOf(vendor, call, repository);
  const counterparts = counterpartsOf(name);
  const records = [name, ...counterparts].flatMap((one) => recordsOf(one, host));
  return { records, counterparts, steps: [verificationStep(vendor, repository, name)] };
}

/**
 * Tells the person to verify the domain (docs.github.com, "Verifying your custom domain for GitHub Pages"): after that
 * no other account can take the name over while no website has it. Only that page shows the value of the record.
 */
function verificationStep({ apiUrl }: Vendor, { name: repository }: Repository, name: string) {
  const [owner] = repository.split('/');
  const domain = registrableDomain(name);
  return {
    text: `To protect ${domain} from other GitHub accounts, add it under verified domains at GitHub. GitHub then shows the value for one more TXT record: _github-pages-challenge-${owner}.${domain}.`,
    url: `${webOrigin(apiUrl)}/settings/pages`,
  };
}

/**
 * Returns GitHub's answer about the name; once its certificate exists, HTTPS is enforced. Throws
 * `platform_place_gone`.
 */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const repository = repositoryOf(call);
  const page = await readPagesSite(vendor, call, repository);
  const isAttached = page.cname !== undefined && [name, ...counterpartsOf(name)].includes(page.cname ?? '');
  if (!isAttached) return notAttached(TITLE);
  const dns = await readDns(vendor, call, repository, name);
  const certificate = certificateAnswer(page, dns);
  const isIssued = certificate.code === 'certificate_issued';
  if (isIssued && page.https_enforced !== true) await enforceHttps(vendor, call, repository);
  const endsAt = Date.parse(page.https_certificate?.expires_at ?? '');
  const expiresAt = isIssued && !Number.isNaN(endsAt) ? new Date(endsAt) : null;
  return { ownership: domainAnswer('attached', TITLE), dns, certificate: { ...certificate, expiresAt } };
}

/** Returns the website to its own address; a missing website is no error. */
export async function detachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  const repository = repositoryIn(call.destination.site);
  if (repository === null) return;
  await nullIfNotFound(
    makeOnce<unknown>(call, vendor, {
      look: async () => ((await readPagesSite(vendor, call, repository)).cname === name ? null : {}),
      request: changeOf(repository, { cname: null }),
      shape: anyObject,
    }),
  );
}

function repositoryOf({ destination }: PlatformCall): Repository {
  const repository = repositoryIn(destination.site);
  if (repository === null) throw platformError('platform_place_gone', TITLE);
  return repository;
}

/** `GET /pages/health`: GitHub resolves the name itself. */
async function readDns(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  name: string,
): Promise<DomainAnswer> {
  const url = urlIn(repository, '/pages/health');
  const { domain, alt_domain } = await ask(call, vendor, { withToken: true, url }, healthSchema);
  const check = [domain, alt_domain].find((one) => one?.host === name) ?? domain;
  if (!check) return domainAnswer('unclear', TITLE, 'it has begun to look at the records');
  if (check.is_valid === true) return domainAnswer('points_there', TITLE);
  return domainAnswer(check.dns_resolves === true ? 'points_elsewhere' : 'records_missing', TITLE);
}

function certificateAnswer({ https_certificate: certificate }: PagesSite, dns: DomainAnswer): DomainAnswer {
  if (certificate?.state !== undefined) return domainAnswerOf(STATES, certificate.state, TITLE);
  return domainAnswer(dns.code === 'points_there' ? 'certificate_coming' : 'records_missing', TITLE);
}

/** Turns on HTTPS. GitHub answers 404 while the certificate is not in use yet: the next check tries again. */
async function enforceHttps(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<void> {
  await nullIfNotFound(ask(call, vendor, changeOf(repository, { https_enforced: true }), anyObject));
}

/** Returns the host of the owner's websites, without the repository's name. */
function hostOf({ apiUrl }: Vendor, { destination }: PlatformCall, repository: Repository): string {
  return new URL(stringField(destination.site, 'url') ?? ownAddress(apiUrl, repository.name)).hostname;
}

/**
 * Returns the records of a name. The AAAA records are optional, because a site without IPv6 is reachable all the same.
 */
function recordsOf(name: string, host: string): DomainRecord[] {
  const routes = routeRecords(name, { host, addresses: ADDRESSES.A });
  if (!isRegistrableDomain(name)) return routes;
  const more = ADDRESSES.AAAA.map((value) => requiredRecord({ type: 'AAAA', name, value }));
  return [...routes, ...more.map((record) => ({ ...record, required: false }))];
}
