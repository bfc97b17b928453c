import { Ban, Check, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../../components/class-names.ts';
import { formatDuration } from '../../lib/format.ts';
import type { Outcome, ReleaseStatistics } from './release-statistics.ts';

const looks: Record<Outcome, { word: string; icon: LucideIcon; text: string; bar: string }> = {
  live: { word: 'Went live', icon: Check, text: 'text-good', bar: 'bg-good' },
  failed: { word: 'Failed', icon: CircleX, text: 'text-bad', bar: 'bg-bad' },
  cancelled: { word: 'Cancelled', icon: Ban, text: 'text-unknown', bar: 'bg-unknown' },
  running: { word: 'In progress', icon: LoaderCircle, text: 'text-accent', bar: 'bg-accent' },
};

const OUTCOMES = ['live', 'failed', 'cancelled', 'running'] as const satisfies readonly Outcome[];

/** Shows how the releases ended, as figures and as shares of one bar, and how long those that went live took. */
export function ReleaseOutcomes({ statistics }: { statistics: ReleaseStatistics }) {
  const { count, outcomes, typicalMs, longestMs } = statistics;
  // Usually nothing is running: its figure would only be one zero more.
  const shown = OUTCOMES.filter((outcome) => outcome !== 'running' || outcomes.running > 0);
  return (
    <div className="flex flex-col gap-5 p-4 sm:p-5">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-3 lg:grid-cols-5">
        {shown.map((outcome) => {
          const { word, icon: Icon, text } = looks[outcome];
          return (
            <Figure
              key={outcome}
              name={
                <>
                  <Icon className={classNames('size-3.5', outcomes[outcome] === 0 ? 'text-unknown' : text)} /> {word}
                </>
              }
              value={outcomes[outcome].toLocaleString('en')}
              // A small screen does without zeros.
              isSpared={outcome !== 'live' && outcomes[outcome] === 0}
            />
          );
        })}
        <Figure name="Median time until live" value={shownTime(typicalMs)} />
        <Figure name="Longest time until live" value={shownTime(longestMs)} />
      </dl>
      {/* The figures above say the same in words. */}
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full">
        {OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map((outcome) => (
          <div
            key={outcome}
            className={classNames('h-full min-w-1', looks[outcome].bar)}
            style={{ width: `${(outcomes[outcome] / count) * 100}%` }}
          />
        ))}
      </div>
    </div>
  );
}

type FigureProps = { name: ReactNode; value: string; isSpared?: boolean };

function Figure({ name, value, isSpared = false }: FigureProps) {
  return (
    <div className={classNames('flex min-w-0 flex-col gap-0.5', isSpared && 'max-sm:hidden')}>
      <dt className="flex items-center gap-1.5 text-sm text-ink-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

function shownTime(durationMs: number | null): string {
  return durationMs === null ? 'none yet' : formatDuration(durationMs);
}
