import { getNonce } from 'get-nonce';
import { Check, ChevronDown } from 'lucide-react';
import { Select as RadixSelect } from 'radix-ui';
import { classNames } from '../class-names.ts';
import { useField } from './field.tsx';

export type SelectOption<Value extends string = string> = { value: Value; label: string; isDisabled?: boolean };

export type SelectProps<Value extends string> = {
  value: Value | undefined;
  onValueChange: (value: Value) => void;
  options: readonly SelectOption<Value>[];
  placeholder?: string | undefined;
  /** Needed when no field with a label is around it. */
  label?: string | undefined;
  isDisabled?: boolean | undefined;
  className?: string | undefined;
};

export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  label,
  isDisabled,
  className,
}: SelectProps<Value>) {
  const field = useField();
  return (
    <RadixSelect.Root
      value={value ?? ''}
      disabled={isDisabled}
      onValueChange={(next) => {
        const chosen = options.find((option) => option.value === next);
        if (chosen) onValueChange(chosen.value);
      }}
    >
      <RadixSelect.Trigger
        {...field}
        aria-label={label}
        className={classNames(
          'inline-flex min-h-control items-center justify-between gap-2 rounded-control border border-line-control bg-surface-raised px-3.5 py-1 text-left font-medium transition-colors hover:bg-surface-hover disabled:opacity-50 aria-invalid:border-bad data-placeholder:text-ink-muted *:[span]:truncate',
          className,
        )}
      >
        <RadixSelect.Value placeholder={placeholder} title={options.find((option) => option.value === value)?.label} />
        <RadixSelect.Icon asChild>
          <ChevronDown className="shrink-0 text-ink-muted" />
        </RadixSelect.Icon>
      </RadixSelect.Trigger>
      <RadixSelect.Portal>
        <RadixSelect.Content
          position="popper"
          sideOffset={6}
          className="z-50 max-h-(--radix-select-content-available-height) max-w-(--radix-select-content-available-width) min-w-(--radix-select-trigger-width) animate-appear overflow-hidden rounded-card bg-surface-raised p-1 shadow-float"
        >
          <RadixSelect.Viewport nonce={getNonce()}>
            {options.map((option) => (
              <RadixSelect.Item
                key={option.value}
                value={option.value}
                disabled={option.isDisabled ?? false}
                className="flex min-h-9 items-center justify-between gap-6 rounded-control px-2.5 py-1 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-surface-hover touch:min-h-11"
              >
                <RadixSelect.ItemText>{option.label}</RadixSelect.ItemText>
                <RadixSelect.ItemIndicator>
                  <Check className="text-accent" />
                </RadixSelect.ItemIndicator>
              </RadixSelect.Item>
            ))}
          </RadixSelect.Viewport>
        </RadixSelect.Content>
      </RadixSelect.Portal>
    </RadixSelect.Root>
  );
}
