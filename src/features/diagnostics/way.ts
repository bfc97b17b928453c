import type { Certificate } from '../../../routers/schemas/certificates.ts';
import type { CheckId, Report } from '../../../routers/schemas/diagnostics.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { asWritten } from '../../lib/written-name.ts';
import { CHECK_TITLES } from './check-titles.ts';
import type { Check } from './checks.ts';
import { areServersSilent, domainChecks, nameServersCheck } from './domain-checks.ts';

/** Authorities date a certificate back by this much. */
const DATED_BACK_MS = 3_600_000;
const SAID = 'See above for what is in the way.';
const GROUNDLESS = 'This cannot be checked while no name server answers.';

/**
 * Returns the way from a name to the bytes behind it, link by link, each with its last finding: from the checks of the
 * domain, which are automatic, and from the last report, for those that need a visit.
 */
export function wayOf(
  domain: Domain,
  certificates: readonly Certificate[],
  report: Report | undefined,
  now: Date,
): Check[] {
  const [resolves, ...more] = domainChecks([domain], certificates, now);
  const valid = more.at(-1);
  const caa = more.slice(0, -1).map((check) => withDomain(check, 'caa', domain));
  const found = resolves && withDomain(resolves, 'resolves', domain);
  const records =
    found && areServersSilent(domain) ? { ...found, verdict: 'unknown' as const, seen: GROUNDLESS, at: null } : found;
  const certificate = valid && withDomain(valid, 'certificate', domain);
  const visited = (id: CheckId): Check => {
    const found = report?.checks.find((check) => check.id === id);
    const common = { id, title: CHECK_TITLES[id], link: null };
    // A domain that was removed and added again begins anew.
    if (found === undefined || report === undefined || report.startedAt < domain.createdAt)
      return { ...common, verdict: 'unknown', seen: 'Not checked from outside yet.', at: null };
    if (report.startedAt < domain.changedAt)
      return { ...common, verdict: 'unknown', seen: 'Not checked from outside since the last change.', at: null };
    const { verdict, seen } = found;
    return { ...common, verdict, seen: asWritten(domain, seen), at: report.finishedAt };
  };
  const last = visited('certificate');
  const isReplaced = domain.problem?.code === 'certificate_replaced';
  // Nothing was found from outside about a certificate that has been issued since.
  const isIssuedSince =
    certificate?.verdict === 'pass' &&
    certificates.some(
      ({ domainId, notBefore }) =>
        domainId === domain.id && Number(notBefore) + DATED_BACK_MS > Number(report?.startedAt),
    );
  const isOver = isIssuedSince && last.verdict !== 'pass';
  const shown = last.verdict === 'unknown' || isReplaced || isOver ? certificate : last;
  return [
    nameServersCheck(domain),
    ...(records === undefined ? [] : [records]),
    ...(domain.atPlatform === null ? [visited('port-80')] : []),
    ...caa,
    ...(shown === undefined ? [] : [isReplaced ? replaced(shown, domain) : shown]),
    visited('url-up'),
  ];
}

/** Leaves out what the page of a domain shows once: its name, what is wrong with it, and links to that page. */
function withDomain(check: Check, id: CheckId, domain: Domain): Check {
  const isSaid =
    check.seen === asWritten(domain, domain.problem?.message ?? '') || (id === 'certificate' && check.link !== null);
  const seen = isSaid ? SAID : check.seen;
  return { ...check, title: CHECK_TITLES[id], link: null, seen };
}

function replaced(check: Check, { problem }: Domain): Check {
  return { ...check, verdict: 'fail', seen: SAID, at: problem?.since ?? null };
}
