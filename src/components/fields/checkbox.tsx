import { Check } from 'lucide-react';
import { Checkbox as RadixCheckbox } from 'radix-ui';
import { type ReactNode, useId } from 'react';

export type CheckboxProps = {
  label: ReactNode;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  isDisabled?: boolean | undefined;
};

export function Checkbox({ label, isChecked, onChange, isDisabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <RadixCheckbox.Root
        id={id}
        checked={isChecked}
        onCheckedChange={(state) => onChange(state === true)}
        disabled={isDisabled}
        className="relative mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-tight border border-line-control bg-surface-raised after:absolute after:-inset-2 disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent touch:after:-inset-3.5"
      >
        <RadixCheckbox.Indicator>
          <Check className="size-3 animate-tick text-accent-ink" strokeWidth={2.5} />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
