import { Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { StepState } from '../../../routers/schemas/states.ts';
import { classNames } from '../class-names.ts';
import { StepMark } from './stepper.tsx';

export type PipelineStage = {
  title: string;
  /** `open`: waits for the person; `absent`: there is nothing to do here. */
  state: StepState | 'open' | 'absent';
  /** One line below the title. */
  text?: ReactNode;
  /** The decision or the content of the stage. */
  body?: ReactNode;
  /** True for a table, which takes all the room of a wide screen. */
  isWide?: boolean;
};

/** Stages of a pipeline, numbered, one below the other along a line. */
export function StageList({ label, stages }: { label: string; stages: readonly PipelineStage[] }) {
  return (
    <ol aria-label={label}>
      {stages.map((stage, index) => (
        <Stage key={stage.title} number={index + 1} stage={stage} />
      ))}
    </ol>
  );
}

function Stage({ number, stage }: { number: number; stage: PipelineStage }) {
  const { title, state, text, body, isWide = false } = stage;
  const isQuiet = state === 'absent' || state === 'waiting' || state === 'cancelled';
  return (
    <li
      aria-current={state === 'running' ? 'step' : undefined}
      className={classNames(
        'relative flex gap-4 pb-8 last:pb-0 before:absolute before:top-7 before:bottom-1 before:left-3 before:w-px before:bg-line last:before:hidden',
        isWide ? 'max-xl:max-w-reading' : 'max-w-reading',
      )}
    >
      <span className="flex size-6 shrink-0 items-center justify-center">
        <StageMark number={number} state={state} />
      </span>
      <div className="min-w-0 grow">
        <h2 className={isQuiet ? 'font-semibold text-ink-muted' : 'font-semibold'}>{title}</h2>
        {text && <div className="mt-0.5 text-sm text-ink-muted">{text}</div>}
        {body && <div className="mt-3">{body}</div>}
      </div>
    </li>
  );
}

function StageMark({ number, state }: Pick<PipelineStage, 'state'> & { number: number }) {
  if (state === 'absent') {
    return (
      <span
        role="img"
        aria-label="Nothing to do"
        className="flex size-5 items-center justify-center rounded-full bg-unknown-soft text-unknown"
      >
        <Minus className="size-3.5" />
      </span>
    );
  }
  if (state === 'open' || state === 'waiting') {
    return (
      <span className="flex size-6 items-center justify-center rounded-full border border-line-control text-xs font-medium text-ink-muted tabular-nums">
        {number}
      </span>
    );
  }
  return <StepMark state={state} />;
}
