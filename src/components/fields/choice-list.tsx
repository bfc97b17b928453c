import { type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';

export type Choice<Value extends string> = {
  value: Value;
  title: string;
  /** The mark before the title. */
  icon?: ReactNode;
  description?: ReactNode;
  /** Shown at the far end: a word of recommendation. */
  aside?: ReactNode;
  /** Shown inside the chosen one, below its sentence: further fields of the choice. */
  below?: ReactNode;
};

export type ChoiceListProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
  /** Puts two side by side if there is room, for titles alone. */
  isPaired?: boolean;
};

/**
 * Offers a few choices with a sentence each. The whole sentence belongs to the browser's own radio button, and so do
 * the keys.
 */
export function ChoiceList<Value extends string>({
  label,
  value,
  onChange,
  choices,
  isPaired = false,
}: ChoiceListProps<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classNames('grid gap-2.5', isPaired && 'grid-cols-2')}>
      {choices.map((choice) => (
        <div
          key={choice.value}
          className="flex flex-col rounded-card border border-line transition-colors has-checked:border-accent has-checked:bg-accent-soft hover:border-line-control"
        >
          <label className="group relative flex w-full grow items-center gap-3 rounded-card px-3.5 py-3 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              className="absolute inset-0 size-full opacity-0 cursor-pointer"
            />
            <span className="flex size-4 shrink-0 items-center justify-center rounded-full border border-line-control bg-surface-raised group-has-checked:border-accent group-has-checked:bg-accent">
              <span className="hidden size-1.5 rounded-full bg-accent-ink group-has-checked:block" />
            </span>
            <span className="min-w-0 grow">
              <span className="flex flex-wrap items-center justify-between gap-x-3">
                <span className="flex items-center gap-2 font-medium">
                  {choice.icon}
                  {choice.title}
                </span>
                {choice.aside}
              </span>
              {choice.description !== undefined && (
                <span className="block text-sm text-ink-muted">{choice.description}</span>
              )}
            </span>
          </label>
          {choice.value === value && <div className="px-3.5 [&>:not(:empty)]:pb-3.5">{choice.below}</div>}
        </div>
      ))}
    </div>
  );
}
