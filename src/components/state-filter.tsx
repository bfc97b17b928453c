import { Select } from './select.tsx';
import { type ShownState, stateWord } from './state-badge.tsx';

const ALL = 'all';

export type StateFilterProps<State extends ShownState> = {
  states: readonly State[];
  value: State | undefined;
  /** Null: all states. */
  onChange: (state: State | null) => void;
};

/** Narrows a list to one state, in the words of the badges. */
export function StateFilter<State extends ShownState>({ states, value, onChange }: StateFilterProps<State>) {
  return (
    <Select<State | typeof ALL>
      label="State"
      placeholder="State"
      value={value}
      onValueChange={(chosen) => onChange(chosen === ALL ? null : chosen)}
      options={[
        { value: ALL, label: 'All states' },
        ...states.map((state) => ({ value: state, label: stateWord(state) })),
      ]}
    />
  );
}
