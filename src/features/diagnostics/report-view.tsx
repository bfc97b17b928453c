import type { ReactNode } from 'react';
import { reportVerdict } from '../../../routers/rules/report-verdict.ts';
import type { CheckResult, Report, SharedReport } from '../../../routers/schemas/diagnostics.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { Badge } from '../../components/badge.tsx';
import { Card, CardBody } from '../../components/card.tsx';
import { Progress } from '../../components/progress.tsx';
import { Time } from '../../components/time.tsx';
import { formatExactTime } from '../../lib/format.ts';
import { addressOfHost } from '../../lib/sites-address.ts';
import { asWritten, writtenName } from '../../lib/written-name.ts';
import { CHECK_TITLES } from './check-titles.ts';
import { isTrouble, VERDICT_LOOKS } from './verdict-looks.ts';

type ShownCheck = Report['checks'][number] | SharedReport['checks'][number];
type Headed = Pick<Report, 'state' | 'cause' | 'name'> & { checks: readonly ShownCheck[] };
/** Checks that share one row. */
type Group = readonly [ShownCheck, ...ShownCheck[]];

type ReportViewProps = {
  report: Report | SharedReport;
  /** Shown beside the headline. */
  actions?: ReactNode;
  /** Renders the app's repair for a check; absent where nothing is repaired. */
  repair?: (check: CheckResult) => ReactNode;
  /** True for anybody who has its link, and may read it days later, or on paper: times are written in full. */
  isShared?: boolean;
};

/** A report: its headline, the changes since the last one, and each check with all its questions. */
export function ReportView({ report, actions, repair, isShared = false }: ReportViewProps) {
  const { checkCount, state, startedAt } = report;
  const name = writtenName(report);
  const checks: readonly ShownCheck[] = report.checks.map((check) => ({
    ...check,
    seen: asWritten(report, check.seen),
    fix: check.fix && asWritten(report, check.fix),
  }));
  const isRunning = state === 'running';
  const when = (at: Date) => (isShared ? formatExactTime(at) : <Time at={at} />);
  const progress = checkCount === 0 ? 'Starting…' : `${checks.length} of ${checkCount} checks done`;
  return (
    <Card aria-label={`Report of ${name}`} className="overflow-hidden">
      <div className="flex flex-wrap items-start justify-between gap-3 border-b border-line px-4 py-3.5 sm:px-5">
        <div className="min-w-0" role="status">
          <h2 className="font-semibold wrap-anywhere">{headline({ ...report, name: addressOfHost(name), checks })}</h2>
          <p className="text-sm text-ink-muted">{isRunning ? progress : <>Checked {when(startedAt)}</>}</p>
        </div>
        {actions}
      </div>
      {isRunning && (
        <Progress label={`Checking ${name}`} fraction={checkCount === 0 ? null : checks.length / checkCount} />
      )}
      <Changes report={report} when={when} />
      <ul aria-label={`Checks of ${name}`} className="divide-y divide-line">
        {/* While they arrive, none moves. */}
        {(isRunning ? checks.map((check): Group => [check]) : groupsOf(checks)).map((group) => (
          <li key={group[0].id} className="px-4 py-3.5 sm:px-5">
            <CheckRow group={group} repair={repair !== undefined && 'repair' in group[0] ? repair(group[0]) : null} />
          </li>
        ))}
      </ul>
      {!report.isWhole && (
        <CardBody className="border-t border-line text-sm text-ink-muted">
          This report has the checks of the Basic plan. From Standard on, a report has twenty more, such as redirects,
          CAA and DNSSEC.
        </CardBody>
      )}
    </Card>
  );
}

/** Returns the troubles first, then those that give no result for one reason, which is said once. */
function groupsOf(checks: readonly ShownCheck[]): Group[] {
  const groups = new Map<string, Group>();
  for (const check of checks) {
    const { id, verdict, seen, because, fix } = check;
    const key = verdict === 'unknown' ? JSON.stringify([seen, because, fix]) : id;
    const earlier = groups.get(key);
    groups.set(key, earlier === undefined ? [check] : [...earlier, check]);
  }
  const place = (group: Group) => (isTrouble(group[0]) ? 0 : group.length > 1 ? 1 : 2);
  return [...groups.values()].sort((one, other) => place(one) - place(other));
}

function headline({ state, cause, checks, name }: Headed): string {
  const broken = checks.find(({ id }) => id === cause);
  if (broken !== undefined) return broken.seen;
  if (state === 'running') return `Checking ${name}…`;
  if (state === 'failed') return `The report of ${name} could not be created`;
  if (reportVerdict(checks) === 'unknown') return `${name} could not be checked from here`;
  const warnings = checks.filter(({ verdict }) => verdict === 'warn').length;
  return warnings === 0 ? `${name} works` : `${name} works, with ${formatCount(warnings, 'thing')} to look at`;
}

function Changes({
  report: { changes, since },
  when,
}: Pick<ReportViewProps, 'report'> & { when: (at: Date) => ReactNode }) {
  if (since === null) return null;
  if (changes.length === 0) {
    return (
      <p className="border-b border-line bg-surface-sunken px-4 py-2.5 text-sm text-ink-muted sm:px-5">
        No address, record or certificate changed since the last report, {when(since)}.
      </p>
    );
  }
  return (
    <CardBody className="border-b border-line bg-surface-sunken">
      <h3 className="text-sm font-medium">Changed since the last report, {when(since)}</h3>
      <ul className="mt-1 text-sm text-ink-muted">
        {changes.map((change) => (
          <li key={change.what} className="wrap-anywhere">
            {changeText(change)}
          </li>
        ))}
      </ul>
    </CardBody>
  );
}

/** Names records as DNS has them, in ASCII: they are compared with what the DNS provider shows. */
function changeText({ what, before, after }: Report['changes'][number]): string {
  if (before.length === 0) return `${what} appeared: ${after.join(', ')}`;
  if (after.length === 0) return `${what} is gone: it was ${before.join(', ')}`;
  return `${what} changed from ${before.join(', ')} to ${after.join(', ')}`;
}

function CheckRow({ group, repair }: { group: Group; repair: ReactNode }) {
  const { verdict, seen, fix, because } = group[0];
  const { tone, icon, word } = VERDICT_LOOKS[verdict];
  return (
    <div className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[8.5rem_minmax(0,1fr)_auto]">
      <span className="-mt-px flex items-start">
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
      </span>
      <div className="min-w-0">
        <h3 className="font-medium">{group.map(({ id }) => CHECK_TITLES[id]).join(', ')}</h3>
        <p className="text-sm wrap-anywhere text-ink-muted">
          {seen}
          {because !== null && ` The cause is under “${CHECK_TITLES[because]}”.`}
        </p>
        {/* Of what follows from another one, only that one is to be mended. */}
        {fix !== null && because === null && <p className="mt-1 text-sm wrap-anywhere">{fix}</p>}
        <Details group={group} />
      </div>
      {repair && <div className="sm:justify-self-end">{repair}</div>}
    </div>
  );
}

function Details({ group }: { group: Group }) {
  const [{ verdict, why, tookMs }] = group;
  const asked = group.flatMap((check) => check.asked);
  return (
    <details className="mt-1 text-sm text-ink-muted">
      <summary className="w-fit cursor-pointer rounded-tight py-1 hover:text-ink touch:py-3">
        Details{verdict !== 'unknown' && tookMs > 0 && `, checked in ${tookMs} ms`}
      </summary>
      {group.length === 1 && <p className="mt-1">{why}</p>}
      <ul className="mt-2 flex flex-col gap-1.5">
        {asked.map(({ question, server, answer, tookMs: took }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a check that is done stays as it is
          <li key={index} className="wrap-anywhere">
            <span className="font-mono text-xs">{question}</span>
            {server !== '' && ` at ${server}`}: <span className="font-mono text-xs">{answer}</span>, {took} ms
          </li>
        ))}
      </ul>
    </details>
  );
}
