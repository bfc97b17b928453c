import { Ban, Check, Hand, LoaderCircle, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { StepState } from '../../../routers/schemas/states.ts';
import { classNames } from '../class-names.ts';
import { WAITING_FOR_YOU } from '../states/waiting-for-you.ts';

/** `yours`: it has begun, and waits for the person. */
export type ShownStepState = StepState | 'yours';

export type Step = {
  key: string;
  state: ShownStepState;
  title: string;
  /** One line below the title. */
  detail?: ReactNode;
  /** Shown at the far end: the duration. */
  aside?: ReactNode;
  /** The progress and the log of the step. */
  body?: ReactNode;
};

const LABELS: Record<ShownStepState, string> = {
  waiting: 'Waiting',
  running: 'Running',
  yours: WAITING_FOR_YOU,
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Steps below one another, each with its state, its time and its content; rows of a card. */
export function Stepper({ label, steps }: { label: string; steps: readonly Step[] }) {
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {steps.map((step) => (
        <li
          key={step.key}
          aria-current={step.state === 'running' || step.state === 'yours' ? 'step' : undefined}
          className="flex gap-4 px-4 py-3.5 sm:px-5"
        >
          <StepMark state={step.state} />
          <div className="min-w-0 grow">
            <div className="flex items-baseline justify-between gap-3">
              <p className={step.state === 'waiting' || step.state === 'cancelled' ? 'text-ink-muted' : 'font-medium'}>
                {step.title}
              </p>
              {step.aside !== undefined && (
                // Lower than the title, which it would make taller when it comes.
                <span className="shrink-0 text-sm leading-4 text-ink-muted tabular-nums">{step.aside}</span>
              )}
            </div>
            {step.detail !== undefined && <div className="text-sm text-ink-muted">{step.detail}</div>}
            {step.body}
          </div>
        </li>
      ))}
    </ol>
  );
}

const marks: Record<ShownStepState, { look: string; icon: ReactNode }> = {
  waiting: { look: 'border border-line-control', icon: null },
  running: { look: 'bg-accent-soft text-accent', icon: <LoaderCircle className="size-3.5 animate-turn" /> },
  yours: { look: 'bg-warn-soft text-warn', icon: <Hand className="size-3.5" /> },
  done: { look: 'bg-good-soft text-good', icon: <Check className="size-3.5 animate-tick" /> },
  failed: { look: 'bg-bad-soft text-bad', icon: <X className="size-3.5 animate-tick" /> },
  cancelled: { look: 'bg-unknown-soft text-unknown', icon: <Ban className="size-3.5" /> },
};

/** The state of a step as a mark, and as a word for screen readers. */
export function StepMark({ state }: { state: ShownStepState }) {
  return (
    <span
      role="img"
      aria-label={LABELS[state]}
      className={classNames('flex size-5 shrink-0 items-center justify-center rounded-full', marks[state].look)}
    >
      {marks[state].icon}
    </span>
  );
}
