import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from './service-context.ts';

/** The network and the time as they are. */
export const network: Network = {
  fetch: (input, init) => globalThis.fetch(input, init),
  wait: async (ms, signal) => {
    // What an ended timer throws is not the reason that its signal gives.
    await delay(ms, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  },
};
