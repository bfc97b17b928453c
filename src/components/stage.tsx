import { Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { StepState } from '../../routers/schemas/states.ts';
import { StepMark } from './stepper.tsx';

export type StageProps = {
  number: number;
  title: string;
  /** `open`: waits for the person; `absent`: there is nothing behind it. */
  state: StepState | 'open' | 'absent';
  /** One line below the title. */
  text?: ReactNode;
  /** What is decided or shown here. */
  children?: ReactNode;
};

/** Stages of a pipeline, one below the other along a line. */
export function StageList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol aria-label={label} className="max-w-reading">
      {children}
    </ol>
  );
}

export function Stage({ number, title, state, text, children }: StageProps) {
  const isQuiet = state === 'absent' || state === 'waiting' || state === 'cancelled';
  return (
    <li
      aria-current={state === 'running' ? 'step' : undefined}
      className="relative flex gap-4 pb-8 last:pb-0 before:absolute before:top-7 before:bottom-1 before:left-3 before:w-px before:bg-line last:before:hidden"
    >
      <span className="flex size-6 shrink-0 items-center justify-center">
        <StageMark number={number} state={state} />
      </span>
      <div className="min-w-0 grow">
        <h2 className={isQuiet ? 'font-semibold text-ink-muted' : 'font-semibold'}>{title}</h2>
        {text && <div className="mt-0.5 text-sm text-ink-muted">{text}</div>}
        {children && <div className="mt-3">{children}</div>}
      </div>
    </li>
  );
}

function StageMark({ number, state }: Pick<StageProps, 'number' | 'state'>) {
  if (state === 'absent') {
    return (
      <span
        role="img"
        aria-label="Not available"
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
