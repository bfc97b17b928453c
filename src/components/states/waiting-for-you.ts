/** Everything that waits for the person has these words: its badge, its step and its list of steps. */
export const WAITING_FOR_YOU = 'Waiting for you';
