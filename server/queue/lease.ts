import type { Log } from '../lib/log.ts';
import { type JobLease, leaseLost, renewLease } from './queue.ts';

/** A lease lasts 30 s: two renewals may be lost, and a holder without an answer stops 10 s before it runs out. */
const HEARTBEAT_MS = 10_000;
const UNCONFIRMED_MAX_MS = 20_000;
const WATCH_MS = 1_000;

export type LeaseTimes = { heartbeatMs: number; unconfirmedMaxMs: number; watchMs: number };
/** `onConfirmed` is called after each confirmed renewal. */
export type LeaseOptions = Partial<LeaseTimes> & { onConfirmed?(): void };
const TIMES: LeaseTimes = { heartbeatMs: HEARTBEAT_MS, unconfirmedMaxMs: UNCONFIRMED_MAX_MS, watchMs: WATCH_MS };

export type HeldLease = {
  /** Aborted with `lease_lost`, or with the reason of `stopping`. */
  signal: AbortSignal;
  /** Stops the renewals because the job has ended. */
  release(): void;
};

/**
 * Renews the lease of a running job until it is released. The signal is aborted when another worker has taken the job,
 * and when no renewal was confirmed for 20 s by the monotonic clock: a process that was paused, or has lost its
 * network, must stop before another worker can take the lease of 30 s.
 */
export function holdLease(
  lease: JobLease,
  stopping: AbortSignal,
  log: Log,
  { onConfirmed, ...own }: LeaseOptions = {},
): HeldLease {
  const times = { ...TIMES, ...own };
  const lost = new AbortController();
  let confirmedAt = performance.now();

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    try {
      if (!(await renewLease(lease))) lost.abort(leaseLost());
      else {
        confirmedAt = askedAt;
        onConfirmed?.();
      }
    } catch (error) {
      log.warn('The lease of a job could not be renewed.', { jobId: lease.id, error: String(error) });
    }
  };
  const heartbeat = setInterval(() => void renew(), times.heartbeatMs);
  const watch = setInterval(() => {
    if (performance.now() - confirmedAt > times.unconfirmedMaxMs) lost.abort(leaseLost());
  }, times.watchMs);
  heartbeat.unref();
  watch.unref();

  return {
    signal: AbortSignal.any([lost.signal, stopping]),
    release: () => {
      clearInterval(heartbeat);
      clearInterval(watch);
    },
  };
}
