import { RadioGroup } from 'radix-ui';
import type { ReactNode } from 'react';

export type Choice<Value extends string> = {
  value: Value;
  title: string;
  description?: ReactNode;
  /** At the far end: a word of recommendation. */
  aside?: ReactNode;
  isDisabled?: boolean | undefined;
};

export type ChoiceListProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
};

/** One of a few, each with a sentence: the whole row is the radio button. */
export function ChoiceList<Value extends string>({ label, value, onChange, choices }: ChoiceListProps<Value>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        const chosen = choices.find((choice) => choice.value === next);
        if (chosen) onChange(chosen.value);
      }}
      className="flex flex-col gap-2.5"
    >
      {choices.map((choice) => (
        <RadioGroup.Item
          key={choice.value}
          value={choice.value}
          disabled={choice.isDisabled ?? false}
          className="group flex w-full items-center gap-3 rounded-card border border-line px-3.5 py-3 text-left transition-colors enabled:hover:border-line-control disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft"
        >
          <span className="flex size-4 shrink-0 items-center justify-center rounded-full border border-line-control bg-surface-raised group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent">
            <RadioGroup.Indicator className="size-1.5 rounded-full bg-accent-ink" />
          </span>
          <span className="min-w-0 grow">
            <span className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="font-medium">{choice.title}</span>
              {choice.aside}
            </span>
            {choice.description !== undefined && (
              <span className="block text-sm text-ink-muted">{choice.description}</span>
            )}
          </span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
