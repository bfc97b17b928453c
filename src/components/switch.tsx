import { Switch as RadixSwitch } from 'radix-ui';
import { type ReactNode, useId } from 'react';

export type SwitchProps = {
  label: string;
  hint?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean | undefined;
};

/** A setting that takes effect at once; its label is part of the hit area. */
export function Switch({ label, hint, isOn, onChange, isDisabled = false }: SwitchProps) {
  const id = useId();
  const hasHint = hint !== undefined && hint !== null;
  return (
    <div className="flex min-h-control items-center justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hasHint && (
          <p id={`${id}-hint`} className="text-sm text-ink-muted">
            {hint}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        aria-describedby={hasHint ? `${id}-hint` : undefined}
        className="relative h-6 w-10 shrink-0 rounded-full border border-line-control bg-surface-sunken transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent after:absolute after:-inset-2.5"
      >
        <RadixSwitch.Thumb className="block size-4 translate-x-1 rounded-full bg-ink-muted transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-accent-ink" />
      </RadixSwitch.Root>
    </div>
  );
}
