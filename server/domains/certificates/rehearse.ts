import type { Rehearsal, RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import type { CertificateRow } from '../../database/models/domains/certificate.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { openAccount } from './account.ts';
import { AuthorityError } from './authority/authority.ts';
import { renewedBy, requireWithinLimits } from './authority-use.ts';
import { namesHere } from './ensure.ts';
import { type PreflightSubject, runPreflight } from './preflight.ts';
import { tryStaging } from './try-staging.ts';
import { tryWrite } from './try-write.ts';

export type Rehearsed = Pick<CertificateRow, '_id' | 'accountId' | 'domainId' | 'names' | 'problem' | 'issued'>;

type Subject = Pick<Rehearsed, 'accountId' | 'domainId' | 'names' | 'problem'>;

/**
 * Rehearses the next renewal: the preflight of an order, with the account and the limits. If nothing is in the way so
 * far, the authority's staging directory validates as well, if there is one; otherwise a proof by DNS is written and
 * removed.
 */
export async function rehearse(providers: Providers, certificate: Rehearsed, signal: AbortSignal): Promise<Rehearsal> {
  const names = [...certificate.names];
  const account = await attempt('account', 'The account at the certificate authority exists.', async () => {
    const { accountUrl } = await openAccount(providers, signal);
    return accountUrl;
  });
  const accountUrl = account.value ?? '';
  const { challenge, checks } = await runPreflight(providers, await subjectOf(certificate, accountUrl), signal);
  const { accountId } = certificate;
  const renews = renewedBy(providers, certificate.issued, names);
  const limits = await attempt('limits', 'The limits of the certificate authority are not reached.', () =>
    requireWithinLimits(providers, { accountUrl, accountId, names, isByHand: true, renews }),
  );
  const found = [...checks, account.check, limits.check];
  const isOpen = found.every(({ id, verdict }) => verdict !== 'fail' || id === 'limits');
  const tried = { accountId, names, challenge };
  const last = isOpen
    ? ((await tryStaging(providers, tried, signal)) ?? (await tryWrite(providers, tried, signal)))
    : null;
  return { at: providers.now(), checks: last === null ? found : [...found, last] };
}

/** The authority reports these when it has found another server than ours, or none. */
const UNREACHED: ReadonlySet<string> = new Set(['connection', 'tls', 'unauthorized', 'incorrectResponse']);

/** Returns the subject of a preflight for this certificate. */
export async function subjectOf(certificate: Subject, accountUrl: string): Promise<PreflightSubject> {
  const { accountId, names, problem } = certificate;
  const wasRefused = problem ? UNREACHED.has(problem.type) : false;
  const prefersDns = wasRefused || (await leadsElsewhere(certificate));
  return { accountId, names: [...names], accountUrl, wasRefused, prefersDns };
}

async function leadsElsewhere({ accountId, domainId, names }: Subject): Promise<boolean> {
  const fields = { pointedNames: 1, attached: 1, leaving: 1 } as const;
  const domain = await DomainModel.findOne({ _id: domainId, accountId }, fields).lean();
  const here = domain === null ? [] : namesHere(domain);
  return names.some((name) => !here.includes(name));
}

async function attempt<T>(
  id: RehearsalCheck['id'],
  passed: string,
  work: () => Promise<T>,
): Promise<{ check: RehearsalCheck; value?: T }> {
  try {
    return { value: await work(), check: { id, verdict: 'pass', message: passed } };
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    return { check: { id, verdict: 'fail', message: error.problem.detail } };
  }
}
