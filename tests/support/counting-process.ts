import {
  type CounterReply,
  type CounterRequest,
  createRateCounterServer,
  createRemoteRateCounters,
} from '../../server/boot/processes/remote-rate-counters.ts';
import type { RateCounters } from '../../server/lib/rate-counters.ts';

/** Returns a process that asks `rateCounters` by messages, which arrive as copies. */
export function countingProcess(rateCounters: RateCounters) {
  const remote = createRemoteRateCounters((requests: CounterRequest[]) => server.receive(structuredClone(requests)));
  const server = createRateCounterServer(rateCounters, (replies: CounterReply[]) =>
    remote.receive(structuredClone(replies)),
  );
  return { rateCounters: remote.counters, end: server.close };
}
