import { Check, CircleDashed, CircleX, Clock, type LucideIcon } from 'lucide-react';
import type { CheckedRecord, Domain } from '../../../../routers/schemas/domains.ts';
import { Badge, type BadgeTone } from '../../../components/badge.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { HostName } from '../../../components/host-name.tsx';
import { Table, TableCell, TableRow } from '../../../components/lists/table.tsx';
import { useNow } from '../../../components/now.ts';
import { formatClock } from '../../../lib/format.ts';

type Seen = CheckedRecord['seen'][number];

export type RecordTableProps = {
  domain: Domain;
  /** The records to show; all of the domain by default. */
  records?: readonly CheckedRecord[];
  label?: string;
};

/** Shows the records that a domain needs, beside its name servers' answers. */
export function RecordTable({ domain, records = domain.records, label = 'Records' }: RecordTableProps) {
  return (
    <div data-wide>
      <Table
        label={label}
        isFixed
        columns={[
          { key: 'type', title: 'Type', className: 'xl:w-20' },
          { key: 'name', title: 'Name', className: 'xl:w-44' },
          { key: 'needed', title: 'Needed' },
          { key: 'seen', title: 'Seen now', className: 'xl:w-1/4' },
          { key: 'state', title: 'State', className: 'text-right xl:w-48' },
        ]}
      >
        {records.map((record) => (
          <RecordRow key={`${record.type} ${record.name} ${record.value}`} record={record} domain={domain} />
        ))}
      </Table>
      {hasAlternatives(records) && (
        <p className="border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
          Where several types are listed for one name, one of them is enough: use the one your DNS provider offers.
        </p>
      )}
    </div>
  );
}

function RecordRow({ record, domain }: { record: CheckedRecord; domain: Domain }) {
  const { type, name, value } = record;
  const short = relativeName(name, domain);
  return (
    <TableRow>
      <TableCell className="font-mono text-sm max-xl:pb-2 max-xl:font-medium row:align-top row:pt-3.5">
        {type}
      </TableCell>
      <TableCell label="Name" className="row:pr-2 row:align-top">
        <Copied text={short} title={name} label={`Copy the name ${short}`} />
      </TableCell>
      <TableCell label="Needed" className="row:pr-2 row:align-top">
        <Copied text={value} label={`Copy the value ${value}`} />
      </TableCell>
      <TableCell label="Seen now" className="row:align-top">
        <SeenNow record={record} checkedAt={domain.checkedAt} />
      </TableCell>
      <TableCell isCorner className="max-xl:top-3 max-xl:right-4 row:pt-3 row:pl-0 row:align-top">
        <RecordBadge record={record} domain={domain} />
      </TableCell>
    </TableRow>
  );
}

function Copied({ text, label, title }: { text: string; label: string; title?: string }) {
  return (
    <span
      title={title}
      className="flex min-w-0 flex-1 items-center justify-between gap-1 row:items-start row:justify-start"
    >
      <HostName name={text} fit="wrap" className="py-1.5" />
      <CopyButton text={text} label={label} />
    </span>
  );
}

function SeenNow({ record, checkedAt }: { record: CheckedRecord; checkedAt: Date | null }) {
  const authoritative = record.seen.filter(({ isAuthority }) => isAuthority);
  const values = [...new Set(authoritative.flatMap((one) => one.values ?? []))];
  const now = useNow();
  const cached = checkedAt === null ? null : cachedUntil(record, checkedAt, now);
  return (
    <span className="flex min-w-0 flex-col gap-0.5 text-sm">
      {values.length === 0 ? (
        <span className="py-1.5 text-ink-muted">{checkedAt === null ? 'Not checked yet' : 'Nothing'}</span>
      ) : (
        values.map((value) => <Copied key={value} text={value} label={`Copy the seen value ${value}`} />)
      )}
      {record.purpose === 'certificate' && (
        <span className="text-xs text-ink-muted">
          Optional: lets the certificate be renewed without changing records again.
        </span>
      )}
      {cached !== null && (
        <span className="text-xs text-ink-muted">
          Caches may show {cached.isNone ? 'no record' : 'the old value'} until {formatClock(cached.until)}
        </span>
      )}
      {record.seen.length > 0 && (
        <details className="text-xs text-ink-muted">
          <summary className="cursor-pointer rounded-tight touch:py-2">What each server answered</summary>
          <ul className="mt-1 flex flex-col gap-1">
            {record.seen.map((one) => (
              <li key={`${one.server} ${one.address}`} className="wrap-anywhere">
                <span className="font-mono">{one.server}</span>
                {one.address !== one.server && ` (${one.address})`}: {answerText(one)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}

const ERRORS: Record<string, string> = {
  timeout: 'no answer in time',
  refused: 'refused to answer',
  server_failure: 'answered with a failure',
  lame: 'does not serve this domain',
  unreachable: 'cannot be reached',
};

function answerText({ values, ttl, error }: Seen): string {
  if (values === null) return ERRORS[error ?? ''] ?? 'no usable answer';
  return `${values.join(', ') || 'nothing'}${ttl === null ? '' : ` · TTL ${ttl} s`}`;
}

/**
 * Returns until when a resolver may still return another value than the required one, or none, which it remembers as
 * well (RFC 2308, section 5); null when none does any more.
 */
function cachedUntil(
  { value, seen }: CheckedRecord,
  checkedAt: Date,
  now: Date,
): { until: Date; isNone: boolean } | null {
  const old = seen.filter((one) => !one.isAuthority && one.values !== null && !one.values.includes(value));
  const [last] = old.toSorted((one, other) => (other.ttl ?? 0) - (one.ttl ?? 0));
  const until = new Date(checkedAt.getTime() + (last?.ttl ?? 0) * 1000);
  return last !== undefined && until > now ? { until, isNone: last.values?.length === 0 } : null;
}

const looks: Record<CheckedRecord['state'], { tone: BadgeTone; icon: LucideIcon }> = {
  ok: { tone: 'good', icon: Check },
  partly: { tone: 'warn', icon: Clock },
  wrong: { tone: 'bad', icon: CircleX },
  missing: { tone: 'warn', icon: Clock },
};

function RecordBadge({ record, domain }: { record: CheckedRecord; domain: Domain }) {
  if (domain.checkedAt === null) {
    return (
      <Badge tone="unknown" icon={CircleDashed}>
        Not checked yet
      </Badge>
    );
  }
  if (record.purpose === 'certificate' && record.state === 'missing') {
    return (
      <Badge tone="unknown" icon={CircleDashed}>
        Optional
      </Badge>
    );
  }
  const { tone, icon } = looks[record.state];
  return (
    <Badge tone={tone} icon={icon}>
      {stateText(record, domain)}
    </Badge>
  );
}

function stateText(record: CheckedRecord, domain: Domain): string {
  const { state, value } = record;
  const answers = record.seen.flatMap(({ isAuthority, values }) => (isAuthority ? [values] : []));
  switch (state) {
    case 'ok':
      // Each that answers has it, an alias also as the addresses that it leads to; the others were silent.
      return answers.length === 0 ? 'Seen' : seenBy(answers.filter((values) => values !== null).length, answers.length);
    case 'partly': {
      const others = otherValues(record, domain);
      const right = answers.filter((values) => values?.includes(value) && !values.some(others)).length;
      return right === 0 ? 'Not on all servers' : seenBy(right, answers.length);
    }
    case 'wrong':
      return answers.some((values) => values?.includes(value)) ? 'Another value as well' : 'Another value';
    case 'missing':
      return domain.activeSince === null ? 'Not seen yet' : 'Not seen';
  }
}

function seenBy(count: number, all: number): string {
  return `Seen by ${count} of ${all} ${all === 1 ? 'server' : 'servers'}`;
}

/** Returns whether a value beside the right one is wrong: no text is, and an address is when nothing asks for it. */
function otherValues({ type, name }: CheckedRecord, { records }: Domain): (value: string) => boolean {
  if (type === 'TXT' || type === 'CAA') return () => false;
  const wanted = records.filter((one) => one.type === type && one.name === name).map(({ value }) => value);
  return (value) => !wanted.includes(value);
}

/**
 * Returns the name in the form of most DNS providers: without the zone, `@` for the zone itself. Before the zone was
 * seen, it is that of the domain; the whole name when not even that is known.
 */
function relativeName(name: string, { name: own, counterpart, zone }: Domain): string {
  if (zone === undefined && counterpart === null) return name;
  const apex = zone ?? (counterpart !== null && counterpart.length < own.length ? counterpart : own);
  if (name === apex) return '@';
  return name.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : name;
}

function hasAlternatives(records: readonly CheckedRecord[]): boolean {
  return records.some(
    ({ alternativeGroup, type }) =>
      alternativeGroup !== null &&
      records.some((other) => other.alternativeGroup === alternativeGroup && other.type !== type),
  );
}
