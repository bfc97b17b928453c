import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { AppError } from '../../../lib/errors.ts';
import { counterpartsOf } from '../../../lib/site-domain.ts';
import { type DomainCode, domainAnswer, domainAnswerOf } from '../domain-answers.ts';
import { routeRecords } from '../domain-records.ts';
import { platformError } from '../failures.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { AttachedDomain, PlatformCall, PlatformDomain } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { changeSiteRequest, type NetlifySite, readSite, siteSchema, TITLE } from './api.ts';

/**
 * A site has a list of names, of which the first is its main one (`custom_domain`) and the others are aliases. An
 * update replaces the list, so it is read, changed and written back. `www` comes with the domain, and the other way
 * round, whether the list shows it or not. One certificate covers all names; Netlify checks their records when it is
 * ordered, and says nothing about them before.
 */
const certificateSchema = z.object({
  state: z.nullish(z.string()),
  domains: z.nullish(listOf(z.string())),
  expires_at: z.nullish(z.string()),
});
type Certificate = z.infer<typeof certificateSchema>;

/** From third parties' copies, until 2026, of docs.netlify.com, "Configure external DNS for a custom domain". */
const LOAD_BALANCER = { alias: 'apex-loadbalancer.netlify.com', addresses: ['75.2.60.5'] };

const STATES: Readonly<Record<string, DomainCode>> = {
  issued: 'certificate_issued',
  custom: 'certificate_issued',
  pending: 'certificate_coming',
  provisioning: 'certificate_coming',
  error: 'certificate_refused',
};

/** Adds the name to the site's list. Throws `domain_taken`, `platform_place_gone`. */
export async function attachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const site = await changeNames(vendor, call, (names) => (names.includes(name) ? null : [...names, name]));
  const counterparts = counterpartsOf(name);
  const host = site.default_domain ?? `${site.name}.netlify.app`;
  const records = [name, ...counterparts].flatMap((one) => routeRecords(one, { host, ...LOAD_BALANCER }));
  return { records, counterparts };
}

/**
 * Removes the name from the list, and the `www` that came with it. A domain of which only the `www` was requested
 * stays: who requested it cannot be known, and an unreachable site is worse than a superfluous name.
 */
export async function detachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  if (stringField(call.destination.site, 'siteId') === null) return;
  const gone = [name, ...counterpartsOf(name).filter((one) => one.startsWith('www.'))];
  const change = (names: readonly string[]) =>
    names.includes(name) ? names.filter((one) => !gone.includes(one)) : null;
  await nullIfNotFound(changeNames(vendor, call, change));
}

/** Returns Netlify's answer about the name. Throws `platform_place_gone`. */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const siteId = siteIdOf(call);
  const names = namesOf(await readSite(vendor, call, siteId));
  const isAttached = [name, ...counterpartsOf(name)].some((one) => names.includes(one));
  const certificate = isAttached ? await readCertificate(vendor, call, siteId) : null;
  const answer = certificateAnswer(certificate, name);
  const isIssued = answer.code === 'certificate_issued';
  return {
    ownership: domainAnswer(isAttached ? 'attached' : 'not_attached', TITLE),
    dns: isIssued
      ? domainAnswer('points_there', TITLE)
      : domainAnswer('unclear', TITLE, 'it looks at the records when a certificate is ordered'),
    certificate: { ...answer, expiresAt: isIssued ? dateOf(certificate?.expires_at) : null },
  };
}

/**
 * Orders the certificate, or renews the existing one with this name. Netlify refuses while the records do not point
 * there: then there is nothing to wait for, and `domain` keeps saying that it can be ordered.
 */
export async function requestCertificate(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  const siteId = siteIdOf(call);
  let isThere = false;
  try {
    await makeOnce(call, vendor, {
      look: async () => {
        const certificate = await readCertificate(vendor, call, siteId);
        isThere = Boolean(certificate?.state);
        return certificateAnswer(certificate, name).code === 'certificate_missing' ? null : certificate;
      },
      get request() {
        const url = `/sites/${siteId}/ssl${isThere ? '/renew' : ''}`;
        return { withToken: true, method: 'POST', url } as const;
      },
      shape: certificateSchema,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The manual mentions renewal without describing it: where the request fails, Netlify renews by itself.
    const isByItself = isThere && error.code === 'platform_place_gone';
    if (!isByItself && !/\bdns\b/i.test(error.message)) throw error;
  }
}

/** Reads the names, changes them and writes them, starting again when a try ended unclear; null changes nothing. */
async function changeNames(
  vendor: Vendor,
  call: PlatformCall,
  change: (names: readonly string[]) => readonly string[] | null,
): Promise<NetlifySite> {
  const siteId = siteIdOf(call);
  let wanted: readonly string[] = [];
  const write = (nothing: '' | null): Promise<NetlifySite> =>
    makeOnce(call, vendor, {
      look: async () => {
        const site = await readSite(vendor, call, siteId);
        const changed = change(namesOf(site));
        wanted = changed ?? [];
        return changed === null ? site : null;
      },
      get request() {
        const [main, ...aliases] = wanted;
        return changeSiteRequest(siteId, { custom_domain: main ?? nothing, domain_aliases: aliases });
      },
      shape: siteSchema,
    });
  try {
    return await write('');
  } catch (error) {
    // The manual does not say how to remove the last name: it describes a text, and null is what it may mean.
    const isRefused = error instanceof AppError && error.code === 'platform_failed';
    if (!isRefused || wanted.length > 0) throw error;
    return write(null);
  }
}

function siteIdOf({ destination }: PlatformCall): string {
  const siteId = stringField(destination.site, 'siteId');
  if (siteId === null) throw platformError('platform_place_gone', TITLE);
  return siteId;
}

function namesOf({ custom_domain: main, domain_aliases: aliases }: NetlifySite): string[] {
  return [...(main ? [main] : []), ...(aliases ?? [])];
}

/** Calls `showSiteTLSCertificate`; returns null when there is none, which is a 404 or an answer without a state. */
async function readCertificate(vendor: Vendor, call: PlatformCall, siteId: string): Promise<Certificate | null> {
  return nullIfNotFound(ask(call, vendor, { withToken: true, url: `/sites/${siteId}/ssl` }, certificateSchema));
}

function certificateAnswer(certificate: Certificate | null, name: string) {
  const state = certificate?.state || null;
  if (state === null) return domainAnswer('certificate_missing', TITLE);
  const answer = domainAnswerOf(STATES, state, TITLE);
  const isForName = certificate?.domains?.includes(name) ?? true;
  return answer.code === 'certificate_issued' && !isForName ? domainAnswer('certificate_missing', TITLE) : answer;
}

function dateOf(text: string | null | undefined): Date | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : new Date(at);
}
