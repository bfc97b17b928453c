import { Select, type SelectOption } from './select.tsx';

const ALL = 'all';

export type FilterSelectProps<Value extends string> = {
  label: string;
  /** Absent when one of the options is always chosen. */
  allLabel?: string | undefined;
  options: readonly SelectOption<Value>[];
  value: Value | undefined;
  /** Called with null when all of them are chosen. */
  onChange: (value: Value | null) => void;
};

/** Limits a screen to one value; a value without an option counts as not chosen. */
export function FilterSelect<Value extends string>({
  label,
  allLabel,
  options,
  value,
  onChange,
}: FilterSelectProps<Value>) {
  return (
    <Select<Value | typeof ALL>
      label={label}
      placeholder={label}
      value={options.find((option) => option.value === value)?.value}
      onValueChange={(chosen) => onChange(chosen === ALL ? null : chosen)}
      options={allLabel === undefined ? options : [{ value: ALL, label: allLabel }, ...options]}
      className="max-w-full"
    />
  );
}
