import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { ReleaseDetail, ReleaseStep } from '../../../routers/schemas/releases.ts';
import { LogView } from '../../components/log-view.tsx';
import { Progress } from '../../components/progress.tsx';
import { type Step, Stepper } from '../../components/stepper.tsx';
import { isRollBackStep } from '../../lib/roll-back.ts';
import { stepProgress, stepResult, stepTitle, tookText } from './release-labels.ts';

type StepsOf = Pick<ReleaseDetail, 'state' | 'finishedAt'> & { steps: readonly ReleaseStep[] };

/** The steps of a release below one another, each with its time, its progress and its log folded under it. */
export function ReleaseSteps({ release }: { release: StepsOf }) {
  return <Stepper label="Steps of the release" steps={useReleaseRows(release)} />;
}

export function useReleaseRows(release: StepsOf): Step[] {
  const { steps } = release;
  const now = useRunningClock(steps.some(({ state }) => state === 'running'));
  return steps.map((step) => rowOf(step, stepTitle(step, isRollBackStep(step, release)), now));
}

function rowOf(step: ReleaseStep, title: string, now: Date): Step {
  const progress = step.state === 'running' || step.state === 'failed' ? stepProgress(step) : null;
  const result = step.state === 'done' ? stepResult(step) : null;
  const took = tookText(step.startedAt, step.endedAt, now);
  return {
    key: step.name,
    state: step.state,
    title,
    ...(took !== null && { aside: took }),
    ...(result !== null && { detail: <span className="tabular-nums">{result}</span> }),
    body: (
      <>
        {progress !== null && <ProgressLine label={title} {...progress} />}
        {step.log.length > 0 && <StepLog step={step} title={title} />}
      </>
    ),
  };
}

export type ProgressLineProps = { label: string; files: string; bytes: string | null; fraction: number | null };

export function ProgressLine({ label, files, bytes, fraction }: ProgressLineProps): ReactNode {
  return (
    <div className="mt-1">
      <p className="mb-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-ink-muted tabular-nums">
        <span>{files}</span>
        {bytes !== null && <span>{bytes}</span>}
      </p>
      <Progress label={label} fraction={fraction} />
    </div>
  );
}

/** Open while the step runs or after it failed; a person's own choice stays. */
function StepLog({ step, title }: { step: ReleaseStep; title: string }) {
  const [choice, setChoice] = useState<boolean | null>(null);
  const isOpen = choice ?? (step.state === 'running' || step.state === 'failed');
  return (
    <div className="mt-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`Log of ${title}, ${formatCount(step.log.length, 'line')}`}
        onClick={() => setChoice(!isOpen)}
        className="-ml-1 flex min-h-6 items-center gap-1 rounded-tight px-1 text-sm text-ink-muted hover:text-ink touch:min-h-11"
      >
        <ChevronRight
          className={isOpen ? 'size-3.5 rotate-90 transition-transform' : 'size-3.5 transition-transform'}
        />
        <span className="tabular-nums">Log, {formatCount(step.log.length, 'line')}</span>
      </button>
      {isOpen && (
        <div className="mt-1.5">
          <LogView label={`Log of ${title}`} lines={step.log} />
        </div>
      )}
    </div>
  );
}

/** Counts the seconds of what runs, and nothing else. */
function useRunningClock(isRunning: boolean): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(new Date()), 500);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
