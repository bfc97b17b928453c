import { STATES_THAT_WAIT } from '../../routers/schemas/state-names.ts';

/** Returns what narrows a list to the state that its rows show: `waiting` is that of their platforms. */
export function shownStateFilter<State extends string>(state: State): Record<string, unknown> {
  return state === 'waiting' ? { state: { $in: [...STATES_THAT_WAIT] }, 'destinations.state': 'waiting' } : { state };
}
