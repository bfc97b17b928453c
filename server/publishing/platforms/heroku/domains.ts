import { isRegistrableDomain } from '../../../lib/site-domain.ts';
import { type DomainCode, domainAnswer, domainAnswerOf, notAttached } from '../domain-answers.ts';
import { requiredRecord } from '../domain-records.ts';
import { platformError } from '../failures.ts';
import { makeOnce, type Vendor } from '../http.ts';
import type { AttachedDomain, PlatformCall, PlatformDomain } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { certificatesToTurnOn, domainToMake, findApp, findDomain, removeDomain, TITLE } from './api.ts';
import { appIn, appOf } from './app.ts';

/** A name gets its target some seconds after it is added. */
const TARGET_LOOKS = 15;
const TARGET_PAUSE_MS = 2_000;

/** Heroku's states of a certificate that it manages, as its own command reads them (heroku/cli, `domains`, 2026). */
const CERTIFICATE: Readonly<Record<string, DomainCode>> = {
  ok: 'certificate_issued',
  'cert issued': 'certificate_issued',
  verified: 'certificate_coming',
  'dns-verified': 'certificate_coming',
  failing: 'records_missing',
  failed: 'certificate_refused',
};
/** Heroku checks the records when it makes the certificate, and says nothing else about them. */
const DNS: Readonly<Record<string, DomainCode>> = {
  ok: 'points_there',
  'cert issued': 'points_there',
  verified: 'points_there',
  'dns-verified': 'points_there',
  failing: 'records_missing',
};

/** Adds the name to the app, and turns on Heroku's certificates. Throws `domain_taken`, `platform_place_gone`. */
export async function attachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<AttachedDomain> {
  const app = appOf(call);
  const find = () => findDomain(vendor, call, app, name);
  let domain = await makeOnce(call, vendor, { look: find, ...domainToMake(app, name) });
  for (let look = 0; !domain.cname && look < TARGET_LOOKS; look += 1) {
    await call.wait(TARGET_PAUSE_MS, call.signal);
    domain = (await find()) ?? domain;
  }
  if (!domain.cname) throw platformError('platform_down', TITLE, { said: 'it names no target for this domain' });
  await makeOnce(call, vendor, {
    look: async () => {
      const found = await findApp(vendor, call, app);
      return found?.acm === true ? found : null;
    },
    ...certificatesToTurnOn(app),
  });
  // There are no addresses: a name that cannot be a CNAME needs a DNS provider with ALIAS.
  const type = isRegistrableDomain(name) ? 'ALIAS' : 'CNAME';
  return { records: [requiredRecord({ type, name, value: domain.cname })], counterparts: [] };
}

/** "Domain, Info": returns the state of the certificate. */
export async function readDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<PlatformDomain> {
  const found = await findDomain(vendor, call, appOf(call), name);
  if (found === null) return notAttached(TITLE);
  const missing = domainAnswer('records_missing', TITLE);
  const { acm_status: status, acm_status_reason: reason } = found;
  const answer = (codes: typeof CERTIFICATE) => (status ? domainAnswerOf(codes, status, TITLE) : missing);
  const certificate = answer(CERTIFICATE);
  const said = certificate.state === 'problem' ? domainAnswer(certificate.code, TITLE, reason ?? '') : certificate;
  return {
    ownership: domainAnswer('attached', TITLE),
    dns: answer(DNS),
    certificate: { ...said, expiresAt: null },
  };
}

/** Removes the name from the app; a name that it does not have is no error. */
export async function detachDomain(vendor: Vendor, call: PlatformCall, name: string): Promise<void> {
  const ref = appIn(call.destination.site);
  if (ref !== null) await nullIfNotFound(removeDomain(vendor, call, ref.app, name));
}
