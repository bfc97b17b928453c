import type { Reply } from './stand-in.ts';

/** The number of requests that a vendor accepts in a time, and its answer to one more. */
export type RequestLimit = {
  most: number;
  inMs: number;
  /** Tells which requests count, by the route's method and path; all when absent. */
  counts?(route: { method: string; path: string }): boolean;
  /** `waitMs` from `nowMs` on there is room again. */
  refusal(waitMs: number, nowMs: number): Reply;
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Counts requests against each of the limits. */
export function countRequests(limits: readonly RequestLimit[]) {
  const counters = limits.map((limit) => ({ limit, times: [] as number[] }));
  return {
    /** Takes note of one request; returns the refusal, and in words why, where a limit has no room for it. */
    take(route: { method: string; path: string }, nowMs: number): { reply: Reply; why: string } | null {
      const counting = counters.filter(({ limit }) => limit.counts?.(route) ?? true);
      for (const { limit, times } of counting) {
        while ((times[0] ?? nowMs) <= nowMs - limit.inMs) times.shift();
        if (times.length < limit.most) continue;
        const why = `${route.method} ${route.path} came when ${limit.most} had come in ${limit.inMs / 1_000} s`;
        return { reply: limit.refusal((times[0] ?? nowMs) + limit.inMs - nowMs, nowMs), why };
      }
      for (const { times } of counting) times.push(nowMs);
      return null;
    },
  };
}
