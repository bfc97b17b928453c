import { Eye, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ListedRelease, RollBack } from '../../../../routers/schemas/releases.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Table, TableCell, TableRow } from '../../../components/lists/table.tsx';
import { Size } from '../../../components/size.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { CorruptedBadge } from '../../../components/states/corrupted-badge.tsx';
import { MissingMark } from '../../../components/states/missing-mark.tsx';
import { Time } from '../../../components/time.tsx';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { formatDuration } from '../../../lib/format.ts';
import { href } from '../../../lib/paths/paths.ts';
import { goneBackAt, wayTexts } from '../acts/going-back.ts';
import { ReleaseMenu, type ReleaseMenuProps } from '../acts/release-menu.tsx';
import { RollBackDialog } from '../acts/roll-back.tsx';
import type { RollBackTarget } from '../acts/roll-back-dialog.tsx';
import { ReleaseBadge } from '../release-badge.tsx';
import { isFinal, missingFiles, SOURCE_LABELS } from '../release-labels.ts';
import { RollBackBadge } from '../roll-back-badge.tsx';
import { historyEntries, isForward, rollBackText } from './history-entries.ts';

export type ReleaseTableProps = {
  label: string;
  releases: readonly ListedRelease[];
  rollBacks: readonly RollBack[];
  /** True when the list has releases of several deployments. */
  showsDeployment?: boolean;
  /** Returns whether a deployment is beyond the plan and cannot be changed. */
  isReadOnly: (deploymentId: string) => boolean;
};

/** Lists releases and rollbacks; in a list of one deployment the live one comes first. */
export function ReleaseTable({ label, releases, rollBacks, showsDeployment = false, isReadOnly }: ReleaseTableProps) {
  const [target, setTarget] = useState<RollBackTarget | null>(null);
  const mayRollBack = (release: ListedRelease) =>
    release.state === 'superseded' && goneBackAt(release) === null && !isReadOnly(release.deploymentId);
  const [first, ...others] = historyEntries(releases, rollBacks, !showsDeployment).map((entry) => ({
    at: entry.at,
    row:
      entry.kind === 'rollBack' ? (
        <RollBackRow key={entry.id} rollBack={entry.rollBack} showsDeployment={showsDeployment} />
      ) : (
        <ReleaseRow
          key={entry.id}
          release={entry.release}
          showsDeployment={showsDeployment}
          isReadOnly={isReadOnly(entry.release.deploymentId)}
          onRollBack={mayRollBack(entry.release) ? () => setTarget(entry.release) : null}
        />
      ),
  }));
  const isOutOfOrder = first !== undefined && others[0] !== undefined && first.at < others[0].at;
  return (
    <>
      <Table
        label={label}
        columns={[
          { key: 'release', title: 'Release' },
          { key: 'state', title: 'State' },
          { key: 'by', title: 'By', className: 'max-xl:hidden' },
          { key: 'started', title: 'Started' },
          { key: 'took', title: 'Took', className: 'text-right max-xl:hidden' },
          { key: 'size', title: 'Size', className: 'text-right max-[90rem]:hidden' },
          { key: 'changed', title: 'File changes', className: 'text-right max-md:hidden' },
          { key: 'back', title: '', className: 'w-px' },
          { key: 'actions', title: '', className: 'w-16' },
        ]}
      >
        {/* One list, in which a row keeps its menu and the focus when another release goes live. */}
        {[
          first?.row,
          isOutOfOrder && (
            <TableRow key="others">
              <TableCell colSpan={9} className="row:h-9! text-xs font-medium text-ink-muted">
                Other releases, newest first
              </TableCell>
            </TableRow>
          ),
          ...others.map(({ row: one }) => one),
        ]}
      </Table>
      <RollBackDialog target={target} onClose={() => setTarget(null)} />
    </>
  );
}

/** Under 640 px a row has three lines: its name, its state beside the way back, and who made it, when, with what changes. */
const row =
  'max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:before:order-2 max-sm:before:basis-full';
const nameCell = 'max-sm:basis-full sm:w-1/3 sm:max-w-0 sm:min-w-36';
/** It has the name of its deployment as well. */
const ownerCell = 'sm:min-w-48!';
const stateCell = 'max-sm:grow';
/** The button has no word beside its icon where a table has the least room. */
const backCell = 'max-sm:order-1 max-sm:empty:hidden sm:px-0! sm:text-right [&>*]:relative';
const factCell = 'text-ink-muted max-sm:order-3 max-sm:text-sm';
/** On a small screen the facts share one line: a long name takes what the others leave, and is cut there. */
const byCell = `${factCell} max-sm:max-w-max max-sm:grow max-sm:basis-20 sm:max-xl:hidden! xl:w-1/4 xl:max-w-0`;
const tookCell = 'text-right text-ink-muted tabular-nums whitespace-nowrap max-xl:hidden!';
const sizeCell = `${tookCell} max-[90rem]:hidden!`;

/** A long name is cut, and the number below it is not; the row around it is the same link. */
const rowLink = 'block min-w-0 rounded-tight py-0.5 after:absolute after:inset-0 hover:underline touch:py-2';

type ReleaseRowProps = ReleaseMenuProps & { showsDeployment: boolean };

function ReleaseRow({ showsDeployment, ...menu }: ReleaseRowProps) {
  const { release, onRollBack } = menu;
  const address = href.release(release.deploymentId, release.number);
  const took = durationOf(release);
  const way = wayTexts(release);
  const title = showsDeployment ? `${ownerLabel(release)}, release ${release.number}` : `Release ${release.number}`;
  return (
    <TableRow className={row}>
      <TableCell className={classNames(nameCell, showsDeployment && ownerCell, 'max-sm:pr-12')}>
        <Link to={address} title={title} className={classNames(rowLink, 'font-medium')}>
          <Titled label={showsDeployment && ownerLabel(release)} text={`Release ${release.number}`} />
        </Link>
      </TableCell>
      <TableCell className={stateCell}>
        <ReleaseStates release={release} />
      </TableCell>
      <TableCell className={classNames(byCell, 'xl:min-w-28')}>
        <span title={release.createdBy} className="block min-w-0 truncate">
          {release.createdBy}
        </span>
        <span className="block text-xs max-sm:hidden">
          <span className="sr-only">, </span>
          {SOURCE_LABELS[release.source]}
        </span>
      </TableCell>
      <TableCell className={factCell}>
        <Time at={release.createdAt} className="sm:whitespace-nowrap" />
      </TableCell>
      <TableCell className={tookCell}>{took ?? 'not finished'}</TableCell>
      <TableCell className={sizeCell}>
        <Size bytes={release.totalBytes} />
      </TableCell>
      <TableCell className={classNames(factCell, 'tabular-nums sm:text-right sm:max-md:hidden!')}>
        <span className="whitespace-nowrap">
          {release.changedFiles.toLocaleString('en')}
          <span className="sm:hidden">
            {release.number === 1 ? ' new' : release.changedFiles === 1 ? ' change' : ' changes'}
          </span>
        </span>
      </TableCell>
      <TableCell className={backCell}>
        {onRollBack !== null && (
          <Button size="sm" title={way.label} onClick={onRollBack}>
            <Undo2 className={way.arrow} />{' '}
            <span className={showsDeployment ? 'sm:max-lg:sr-only' : 'sm:max-md:sr-only'}>{way.act}</span>
            <span className="sr-only">
              {way.label.slice(way.act.length)}
              {showsDeployment && ` of ${ownerLabel(release)}`}
            </span>
          </Button>
        )}
      </TableCell>
      <TableCell isCorner className="[&>*]:relative">
        <ReleaseMenu {...menu} />
      </TableCell>
    </TableRow>
  );
}

/** The deployment's name, where it is told, and below it what was done; read aloud, they are one line. */
function Titled({ label, text }: { label: string | false; text: string }) {
  if (label === false) return text;
  return (
    <>
      <span dir="auto" className="block truncate">
        {label}
      </span>
      <span className="sr-only">, </span>
      <span className="block text-sm font-normal text-ink-muted">{text}</span>
    </>
  );
}

function ReleaseStates({ release }: { release: ListedRelease }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 sm:whitespace-nowrap">
      <ReleaseBadge release={release} />
      {release.isCurrent && release.state !== 'live' && (
        <Badge tone="good" icon={Eye}>
          Serving
        </Badge>
      )}
      {release.state === 'live' && <MissingMark release={release} files={missingFiles(release)} />}
      {release.corruptedFiles.length > 0 && <CorruptedBadge />}
    </span>
  );
}

/** Returns the duration. A release that was rolled back to was live long before: its time is that of its first run. */
function durationOf({ state, startedAt, finishedAt }: ListedRelease): string | null {
  if (!isFinal(state) || finishedAt === null) return null;
  return formatDuration(finishedAt.getTime() - (startedAt ?? finishedAt).getTime());
}

/** The placeholder of the table's rows. */
export function ReleaseTableSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <SkeletonGroup label="Loading the releases" className="divide-y divide-line">
      <div className="h-10 max-sm:hidden" />
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same and never move
        <div key={index} className="flex h-12 items-center justify-between gap-6 px-4 max-sm:h-28">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-24 max-sm:hidden" />
          <Skeleton className="h-4 w-20 max-sm:hidden" />
          <Skeleton className="h-4 w-16 max-md:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}

/** A rollback among the releases: who, when, from which to which, and its result. */
function RollBackRow({ rollBack, showsDeployment }: { rollBack: RollBack; showsDeployment: boolean }) {
  const { deploymentId, toNumber, createdBy, createdAt, endedAt } = rollBack;
  const text = rollBackText(rollBack);
  const shownText = `R${text.slice(1)}`;
  const title = showsDeployment ? `${ownerLabel(rollBack)}, ${text}` : shownText;
  return (
    <TableRow className={row}>
      <TableCell className={classNames(nameCell, showsDeployment && ownerCell)}>
        <Link to={href.release(deploymentId, toNumber)} title={title} className={rowLink}>
          <Titled label={showsDeployment && ownerLabel(rollBack)} text={shownText} />
        </Link>
      </TableCell>
      <TableCell className={stateCell}>
        <RollBackBadge state={rollBack.state} isForward={isForward(rollBack)} />
      </TableCell>
      <TableCell className={byCell}>
        <span title={createdBy} className="block min-w-0 truncate">
          {createdBy}
        </span>
      </TableCell>
      <TableCell className={factCell}>
        <Time at={createdAt} className="sm:whitespace-nowrap" />
      </TableCell>
      <TableCell className={tookCell}>
        {endedAt === null ? 'not finished' : formatDuration(endedAt.getTime() - createdAt.getTime())}
      </TableCell>
      <TableCell className={sizeCell} />
      <TableCell className="max-md:hidden!" />
      <TableCell className="max-sm:hidden!" />
      <TableCell className="max-sm:hidden!" />
    </TableRow>
  );
}
