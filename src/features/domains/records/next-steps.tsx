import { nameNotSet } from '../../../../routers/rules/name-not-set.ts';
import { isAddress, valuesSeen } from '../../../../routers/rules/records-to-delete.ts';
import type { CheckedRecord, Domain } from '../../../../routers/schemas/domains.ts';
import { Notice } from '../../../components/notice.tsx';
import { DomainText } from '../domain-text.tsx';
import { obstacleOf } from '../obstacle.ts';

type NextStepsProps = { domain: Domain; missing: readonly CheckedRecord[] };

/** Says what to do at the DNS provider: what is missing, and what there has to be changed or removed. */
export function NextSteps({ domain, missing }: NextStepsProps) {
  const { state, records } = domain;
  const problem = obstacleOf(domain);
  const aliases = missing.filter(({ type }) => type === 'CNAME');
  const texts = (problem === null ? missing : aliases).flatMap((record) => stepOf(record, records) ?? []);
  const absent = missing.filter(({ state }) => state === 'missing');
  const other = state === 'active' && problem === null ? nameNotSet(domain) : undefined;
  const next =
    other === undefined
      ? 'Next: set the records below at your DNS provider'
      : `${other} is not set up yet: set its record below if visitors should reach your site there as well.`;
  return (
    <Notice
      tone={problem !== null ? 'warn' : other === undefined ? 'accent' : 'quiet'}
      title={problem === null ? next : 'A CNAME must be the only record at its name'}
    >
      {problem === null && absent.length > 0 && <p>Not seen yet: {absent.map(nameOf).join(', ')}.</p>}
      {[...new Set(texts)].map((text) => (
        <p key={text} className="wrap-anywhere">
          <DomainText text={text} name={domain.name} />
        </p>
      ))}
    </Notice>
  );
}

function nameOf({ type, name }: CheckedRecord): string {
  return `${type} ${name}`;
}

/** Returns the act that the present records of a name call for, or null when one is only missing. */
function stepOf(record: CheckedRecord, records: Domain['records']): string | null {
  const { type, name, value, state } = record;
  const wanted = records.filter((one) => one.type === type && one.name === name).map((one) => one.value);
  const found = new Set(valuesSeen(record));
  const others = [...found].filter((one) => !wanted.includes(one));
  const shown = others.join(', ');
  if (type === 'CNAME' && others.some(isAddress)) {
    return `${name} has an address record, ${shown}: remove it first. A CNAME must be the only record at its name.`;
  }
  if (type === 'CNAME' && state === 'missing') {
    return `If ${name} has other records (A, TXT, MX), remove them first. A CNAME must be the only record at its name.`;
  }
  // Any text may stand beside the right one.
  if (others.length === 0 || (type === 'TXT' && state !== 'wrong')) return null;
  return found.has(value)
    ? `${name} has ${shown} as well as ${value}: remove ${shown}.`
    : `${name} has ${shown} now: set it to ${wanted.join(', ')}.`;
}
