import type { Certificate } from '../../../../../routers/schemas/certificates.ts';
import type { Domain, DomainList } from '../../../../../routers/schemas/domains.ts';
import { lostText } from '../../../../../routers/schemas/state-names.ts';
import { formatDate } from '../../../../lib/format.ts';
import { LOOPBACK_TITLE, waitsForHost } from '../../../../lib/loopback.ts';
import { href, paths } from '../../../../lib/paths/paths.ts';
import { asWritten, writtenName } from '../../../../lib/written-name.ts';
import type { AttentionItem } from './attention-items.ts';

/** Returns the domains that are not set up yet, or no longer work as set up: of too many the broken ones first. */
export function domainItems(list: DomainList | undefined, broken: readonly Domain[] = []): AttentionItem[] {
  if (list === undefined) return [];
  const others = list.items.filter(({ id }) => !broken.some((one) => one.id === id));
  const shown = [...broken, ...others].slice(0, list.items.length);
  const items = shown.map(domainItem);
  if (list.nextCursor === null) return items;
  return [
    ...items,
    {
      key: 'more domains',
      kind: 'warning',
      title: 'More domains need a record',
      text: broken.length === 0 ? 'These are the newest of them.' : 'The most urgent come first.',
      action: { to: paths.domains, label: 'See all domains' },
    },
  ];
}

function domainItem(domain: Domain): AttentionItem {
  const { id: key, state, lostTo } = domain;
  const name = writtenName(domain);
  const isBroken = state === 'misconfigured';
  // Setting it up may be impossible from where this Fairlead runs.
  const action = { to: href.domain(key), label: isBroken ? 'Fix it' : 'See what to do' };
  if (lostTo !== undefined) {
    const text = 'If the domain is yours, replace the other account’s TXT record with yours.';
    return { key, kind: 'failed', title: lostText(name), text, action };
  }
  const [title, text] = newsOf(domain);
  return { key, kind: isBroken ? 'failed' : 'warning', name, title, text: asWritten(domain, text), action };
}

function newsOf(domain: Domain): [title: string, text: string] {
  const { state, problem } = domain;
  // One that is active is listed for its problem.
  if (state === 'misconfigured' || state === 'active')
    return ['needs attention', problem?.message ?? 'Its records were changed.'];
  if (waitsForHost(domain)) return ['is not public yet', `${LOOPBACK_TITLE}.`];
  return problem === null ? ['needs a record', missingText(domain)] : ['is not set up yet', problem.message];
}

function missingText({ state, proof, records }: Domain): string {
  if (state === 'unverified') return `The TXT record ${proof.name}, your proof of ownership, has not been seen yet.`;
  const missing = records.find((record) => record.purpose === 'route' && record.required && record.state !== 'ok');
  if (missing === undefined) return 'Not all name servers have its records yet.';
  return `The ${missing.type} record of ${missing.name} has not been seen yet.`;
}

/**
 * Returns the certificates that cannot be renewed, are late or have expired. Those whose domain is listed already are
 * left out: its records come first.
 */
export function certificateItems(
  certificates: readonly Certificate[],
  domains: readonly Domain[],
  now: Date,
): AttentionItem[] {
  return certificates
    .filter(({ domainId }) => domains.every(({ id }) => id !== domainId))
    .map((certificate) => ({
      key: certificate.id,
      ...certificateNews(certificate, now),
      action: { to: href.domain(certificate.domainId), label: 'See what to do' },
    }));
}

function certificateNews(
  { names, uncovered, notAfter, problem, rehearsal }: Certificate,
  now: Date,
): Pick<AttentionItem, 'kind' | 'name' | 'title' | 'text'> {
  const name = names[0] ?? '';
  const why = problem?.message ?? rehearsal?.checks.find(({ verdict }) => verdict === 'fail')?.message;
  if (notAfter === null) {
    return { kind: 'failed', name, title: 'has no certificate yet', text: why ?? 'It could not be issued.' };
  }
  if (notAfter <= now) {
    const text = `Browsers show visitors a warning. ${why ?? 'The certificate was not renewed in time.'}`;
    return { kind: 'failed', title: `The certificate of ${name} has expired`, text };
  }
  const works = `works until ${formatDate(notAfter)}.`;
  const until = `It ${works}`;
  if (problem !== null && uncovered) {
    const title = `There is no certificate for ${uncovered.join(', ')} yet`;
    return { kind: 'failed', title, text: `${problem.message} The present one ${works}` };
  }
  if (problem !== null) {
    return { kind: 'failed', title: `The certificate of ${name} could not be renewed`, text: `${why} ${until}` };
  }
  if (why !== undefined) {
    return {
      kind: 'warning',
      title: `The next renewal of the certificate of ${name} would fail`,
      text: `${why} ${until}`,
    };
  }
  return { kind: 'warning', title: `The certificate of ${name} expires soon`, text: `Its renewal is late. ${until}` };
}
