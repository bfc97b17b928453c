import { STATES_THAT_WAIT } from '../../routers/schemas/state-names.ts';

/** Returns the filter for the state that rows of a list show: `waiting` is a state of their platforms. */
export function shownStateFilter<State extends string>(state: State): Record<string, unknown> {
  return state === 'waiting' ? { state: { $in: [...STATES_THAT_WAIT] }, 'destinations.state': 'waiting' } : { state };
}
