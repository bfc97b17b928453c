import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import type { ReleaseDetail, ReleaseStep } from '../../../../routers/schemas/releases.ts';
import { LinkedText } from '../../../components/linked-text.tsx';
import { type LogEntry, LogView } from '../../../components/lists/log-view.tsx';
import { type ShownStepState, type Step, Stepper } from '../../../components/page/stepper.tsx';
import { Progress } from '../../../components/progress.tsx';
import { DestinationBadge } from '../../../components/states/destination-badge.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import { stepProgress, stepResult } from '../release-labels.ts';
import { PART_TEXTS, partTitle, STEP_TEXTS } from '../step-titles.ts';
import { PlatformLog } from './platform-log.tsx';
import { type Run, type StepGroup, stepGroupsOf, tookOf, wasSentHere } from './step-groups.ts';

/** Lists the parts of a release, each with its time, its progress and its folded log, for each of its platforms. */
export function ReleaseSteps({ release }: { release: ReleaseDetail }) {
  const { id: releaseId, primaryId, destinations, furtherSteps } = release;
  return (
    <PlatformSteps
      primaryId={primaryId}
      destinations={destinations}
      renderSteps={(label, destination) => {
        if (destination === undefined || destination.id === primaryId)
          return <StepGroups label={label} run={release} />;
        const steps = furtherSteps.find(({ destinationId }) => destinationId === destination.id)?.steps ?? [];
        return <StepGroups label={label} run={runAt(destination, steps)} />;
      }}
      renderLog={(destination) => <PlatformLog releaseId={releaseId} destination={destination} />}
    />
  );
}

type PublishedDestination = Pick<Destination, 'id' | 'platform' | 'state' | 'error'>;

export type PlatformStepsProps<Of extends PublishedDestination> = {
  primaryId: string;
  destinations: readonly Of[];
  /** Is called without a destination where there is none yet. */
  renderSteps: (label: string, destination: Of | undefined) => ReactNode;
  renderLog?: (destination: Of) => ReactNode;
};

/**
 * Shows the steps; of several platforms each has its name above its own, from the first sent file on: what is still to
 * come there is as tall as what has been done.
 */
export function PlatformSteps<Of extends PublishedDestination>({
  primaryId,
  destinations,
  renderSteps,
  renderLog,
}: PlatformStepsProps<Of>) {
  if (destinations.length < 2) return renderSteps(STEPS_LABEL, destinations[0]);
  return (
    <ul aria-label="Platforms of this release" className="divide-y divide-line">
      {destinations.map((destination) => (
        <li key={destination.id}>
          <PlatformHead
            destination={destination}
            log={destination.id !== primaryId && destination.state === 'failed' && renderLog?.(destination)}
          />
          {renderSteps(
            destination.id === primaryId ? STEPS_LABEL : `Steps on ${PLATFORM_TITLES[destination.platform]}`,
            destination,
          )}
        </li>
      ))}
    </ul>
  );
}

const STEPS_LABEL = 'Steps of the release';

function StepGroups({ label, run }: { label: string; run: Run }) {
  return <Stepper label={label} steps={useReleaseRows(run)} />;
}

/** Returns the publication on a platform that follows the primary one in the form of a release of its own. */
function runAt(destination: Destination, steps: readonly ReleaseStep[]): Run {
  const { state } = destination;
  const running =
    state === 'waiting' ? 'processing' : (steps.find((step) => step.state === 'running')?.name ?? 'queued');
  return {
    state: state === 'live' || state === 'failed' ? state : running,
    ...(state === 'idle' && { isRunning: false }),
    finishedAt: null,
    primaryId: destination.id,
    destinations: [destination],
    steps,
  };
}

function PlatformHead({
  destination: { platform, state, error },
  log,
}: {
  destination: PublishedDestination;
  log: ReactNode;
}) {
  return (
    <div className="px-4 pt-4 sm:px-5">
      <h3 className="flex flex-wrap items-center justify-between gap-2 font-semibold">
        <span className="flex items-center gap-2">
          <PlatformMark platform={platform} className="size-4" />
          {PLATFORM_TITLES[platform]}
        </span>
        <DestinationBadge state={state} />
      </h3>
      {error !== null && (
        <p className="mt-1 text-sm text-ink-muted wrap-anywhere">
          <LinkedText text={error.message} />
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-2 empty:hidden">{log}</div>
    </div>
  );
}

export function useReleaseRows(release: Run): Step[] {
  const groups = stepGroupsOf(release);
  const now = useRunningClock(groups.some(({ state }) => state === 'running'));
  return groups.map((group) => rowOf(group, now, release));
}

function rowOf(group: StepGroup, now: Date, release: Run): Step {
  const { name, state, steps, log, isRollBack } = group;
  const title = partTitle(name, state, isRollBack);
  const current = steps.find((step) => step.state === 'running' || step.state === 'failed');
  const took = tookOf(group, release, now);
  const progress = current === undefined ? null : stepProgress(current);
  return {
    key: name,
    state,
    title,
    ...(took !== null && { aside: took }),
    body: (
      <RowBody
        title={title}
        state={state}
        text={textOf(group, current, release)}
        fraction={progress?.fraction}
        log={log}
      />
    ),
  };
}

function textOf({ name, state, steps }: StepGroup, current: ReleaseStep | undefined, release: Run): string {
  if (state === 'yours') return 'Publish it and enter its address';
  if (name === 'switching' && release.state === 'superseded') return 'Another release has taken its place';
  if (state === 'done') return resultText(name, steps, release);
  if (current === undefined) return state === 'failed' ? '' : PART_TEXTS[name];
  const progress = stepProgress(current);
  if (progress !== null) return [progress.files, progress.bytes].filter((group) => group !== null).join(', ');
  return name === 'switching' ? PART_TEXTS[name] : STEP_TEXTS[current.name];
}

/** Returns the result, counted if there is something to count. */
function resultText(name: StepGroup['name'], steps: readonly ReleaseStep[], release: Run): string {
  if (name === 'switching') return 'Visitors see this release';
  // A rollback only repeats the switch.
  if (name === 'checking' && steps.length === 0) return 'When it first went live';
  const counted = steps.find((step) => step.name === (name === 'checking' ? 'verifying' : 'uploading'));
  if (counted === undefined) return '';
  // A ZIP came here whole, whichever of its files were here before.
  const isWhole = name === 'sending' && release.source === 'zip' && wasSentHere(release);
  return stepResult(isWhole ? { ...counted, doneBefore: null } : counted) ?? '';
}

export type RowBodyProps = {
  title: string;
  state: ShownStepState;
  text: string;
  /** Undefined when nothing is counted. */
  fraction?: number | null | undefined;
  log?: readonly LogEntry[];
};

/**
 * Shows one line below the title, or two on a small screen, equally tall in every state: while a release runs nothing
 * below it moves.
 */
export function RowBody({ title, state, text, fraction, log = [] }: RowBodyProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className="relative flex min-h-6 items-center justify-between gap-3 text-sm text-ink-muted touch:min-h-11">
        <span title={text} className="min-w-0 tabular-nums max-sm:line-clamp-2 sm:truncate">
          {text}
        </span>
        {log.length > 0 && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Log of ${title}, ${formatCount(log.length, 'line')}`}
            onClick={() => setOpen(!isOpen)}
            className="flex min-h-6 shrink-0 items-center gap-1 rounded-tight px-1 hover:text-ink touch:min-h-11"
          >
            <ChevronRight
              className={isOpen ? 'size-3.5 rotate-90 transition-transform' : 'size-3.5 transition-transform'}
            />
            Log
          </button>
        )}
        {fraction !== undefined && state === 'running' && (
          <Progress label={title} fraction={fraction} className="absolute! inset-x-0 -bottom-1.5" />
        )}
      </div>
      {isOpen && (
        <div className="mt-1.5">
          <LogView label={`Log of ${title}`} lines={log} />
        </div>
      )}
    </>
  );
}

/** Ticks each second while something runs. */
function useRunningClock(isRunning: boolean): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(new Date()), 500);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
