import { useId } from 'react';
import { classNames } from '../class-names.ts';

export type SwitchProps = {
  label: string;
  /** Shown below the label: the effect of turning it on. */
  description?: string | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean | undefined;
};

/** Turns something on or off at once. The whole row can be pressed. */
export function Switch({ label, description, isOn, onChange, isDisabled = false }: SwitchProps) {
  const id = useId();
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={id}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
      disabled={isDisabled}
      onClick={() => onChange(!isOn)}
      className="group flex w-full items-start justify-between gap-6 rounded-control text-left disabled:cursor-not-allowed"
    >
      <span className="min-w-0">
        <span id={id} className="block font-medium">
          {label}
        </span>
        {description !== undefined && (
          <span id={`${id}-description`} className="mt-0.5 block text-ink-muted">
            {description}
          </span>
        )}
      </span>
      <span
        className={classNames(
          'mt-0.5 flex h-5 w-9 shrink-0 items-center rounded-full border p-0.5 transition-colors group-disabled:opacity-50',
          isOn ? 'border-accent bg-accent' : 'border-line-control bg-surface-sunken',
        )}
      >
        <span
          className={classNames(
            'size-3.5 rounded-full transition-transform',
            isOn ? 'translate-x-4 bg-accent-ink' : 'bg-ink-muted',
          )}
        />
      </span>
    </button>
  );
}
