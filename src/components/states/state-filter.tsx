import { FilterSelect, type FilterSelectProps } from '../fields/filter-select.tsx';
import { type DisplayState, stateLabel } from './state-badge.tsx';

export type StateFilterProps<State extends DisplayState> = Pick<FilterSelectProps<State>, 'value' | 'onChange'> & {
  states: readonly State[];
};

/** Limits a list to one state, in the words of the badges. */
export function StateFilter<State extends DisplayState>({ states, ...choice }: StateFilterProps<State>) {
  return (
    <FilterSelect
      {...choice}
      label="State"
      allLabel="All states"
      options={states.map((state) => ({ value: state, label: stateLabel(state) }))}
    />
  );
}
