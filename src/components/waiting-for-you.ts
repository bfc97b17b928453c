/** What waits for the person says so in these words, in its badge, in its step and over what is left to do. */
export const WAITING_FOR_YOU = 'Waiting for you';
