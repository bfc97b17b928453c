import { ChevronDown } from 'lucide-react';
import { later } from '../lib/later.ts';
import { classNames } from './class-names.ts';
import { useField } from './field.tsx';
import { useLaterTrigger } from './later-trigger.ts';
import type { SelectOption, SelectProps } from './select-parts.tsx';

export type { SelectOption, SelectProps };

/** The library behind it comes after the first paint; until then a button of the same look stands in its place. */
const selectParts = later(() => import('./select-parts.tsx'));

export function Select<Value extends string>({ className, ...props }: SelectProps<Value>) {
  const field = useField();
  const { part, isOpenAtFirst, trigger, standIn } = useLaterTrigger(selectParts);
  const look = classNames(
    'inline-flex h-control items-center justify-between gap-2 rounded-control border border-line-control bg-surface-raised px-3.5 font-medium transition-colors hover:bg-surface-hover disabled:opacity-50 aria-invalid:border-bad data-placeholder:text-ink-muted',
    className,
  );
  if (part !== null) {
    return <part.SelectPart {...props} look={look} triggerRef={trigger} isOpenAtFirst={isOpenAtFirst} />;
  }
  const chosen = props.options.find(({ value }) => value === props.value);
  return (
    <button
      {...field}
      {...standIn}
      ref={trigger}
      type="button"
      role="combobox"
      aria-expanded={false}
      aria-autocomplete="none"
      aria-label={props.label}
      disabled={props.isDisabled}
      data-placeholder={chosen === undefined ? '' : undefined}
      className={look}
    >
      <span className="pointer-events-none">{chosen?.label ?? props.placeholder}</span>
      <ChevronDown aria-hidden className="text-ink-muted" />
    </button>
  );
}
