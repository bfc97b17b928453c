import { HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';
import type { PlatformCall, PublishEvent } from '../platform.ts';

/**
 * docs.github.com, "Rate limits for the REST API": 80 content-creating requests a minute, and 500 an hour. Some are
 * left for the commit and the branch, and for the person's own work.
 */
const WRITES_A_MINUTE = 70;
const WRITES_AN_HOUR = 450;

/** The writes since the hour began; they are kept with the release, so that a later run continues the count. */
export type Hour = { hourFrom: number | null; hourSent: number };

/** Paces the writes below GitHub's limits, so that it has no reason to refuse. */
export function createPace(call: PlatformCall, { hourFrom, hourSent }: Hour) {
  let from = hourFrom;
  let sent = hourSent;
  let times: number[] = [];
  const nowMs = (): number => call.now().getTime();

  function restOf(more: number): { text: string; retryAfterMs: number } | null {
    if (from !== null && sent + more > WRITES_AN_HOUR) {
      const text = 'GitHub accepts about 450 images and other non-text files an hour: the rest is sent after that';
      return { text, retryAfterMs: from + HOUR_MS - nowMs() };
    }
    // A later run does not know of these: it starts when the last of them no longer counts.
    const last = times.at(-1);
    if (last === undefined || times.length + more <= WRITES_A_MINUTE) return null;
    const text = 'GitHub accepts about 70 images and other non-text files a minute: the rest is sent after that';
    return { text, retryAfterMs: last + MINUTE_MS - nowMs() };
  }

  return {
    /** Counts one write. */
    count(): void {
      from ??= nowMs();
      sent += 1;
      times.push(nowMs());
    },
    hour: (): Hour => ({ hourFrom: from, hourSent: sent }),
    /** Leaves the job when this many more writes would be too many. */
    async *room(more: number): AsyncGenerator<PublishEvent, void> {
      for (;;) {
        const isOver = from !== null && nowMs() >= from + HOUR_MS;
        if (isOver) [from, sent] = [null, 0];
        times = times.filter((at) => at > nowMs() - MINUTE_MS);
        const rest = restOf(more);
        if (rest === null) return;
        yield { type: 'waiting', ...rest };
        await call.wait(rest.retryAfterMs, call.signal);
      }
    },
  };
}

/** Returns how many pieces of one release may be sent in an hour. */
export function piecesAnHour(writesAPiece: number): number {
  return Math.floor(WRITES_AN_HOUR / writesAPiece);
}
