import { redactedLine } from '../../lib/egress/vendor-answers.ts';
import { endedThere } from './failures.ts';
import type { PlatformCall, PlatformRelease, PlatformState, RestoreEvent } from './platform.ts';

/** A short operation is noticed a moment later; a longer one is polled every two seconds. */
const FIRST_PAUSE_MS = 100;
const PAUSE_FACTOR = 1.5;
const LAST_PAUSE_MS = 2_000;

/** Translates a platform's state; one that is not in the table means "wait". */
export function stateOf(table: Readonly<Record<string, PlatformState>>, word: string | null): PlatformState {
  return word !== null && Object.hasOwn(table, word) ? (table[word] ?? 'processing') : 'processing';
}

/**
 * Polls a release until the platform is done with it, and reports its state on the way. When the run's patience for
 * `what` ends it yields `waiting`; a caller that continues anyway makes it check again. Throws `platform_failed` when
 * the release failed there, or somebody cancelled it there.
 */
export async function* waitUntilDone(
  call: PlatformCall,
  title: string,
  look: () => Promise<PlatformRelease>,
  what = 'the release',
): AsyncGenerator<RestoreEvent, PlatformRelease> {
  let reported: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let waitedMs = 0;
  for (;;) {
    call.signal.throwIfAborted();
    const seen = await look();
    if (seen.state === 'verifying') return seen;
    const said = seen.text === null ? null : redactedLine(seen.text, []);
    const { state, remedy } = seen;
    if (state === 'failed' || state === 'cancelled') throw endedThere(title, { state, text: said, remedy });
    const text = said ?? `${title} is working on it`;
    if (text !== reported) yield { type: 'processing', text };
    reported = text;
    if (waitedMs >= call.patience.lookingMs(what)) {
      yield { type: 'waiting', text, retryAfterMs: call.patience.leave(what) };
      waitedMs = 0;
    }
    await call.wait(pauseMs, call.signal);
    waitedMs += pauseMs;
    pauseMs = Math.min(pauseMs * PAUSE_FACTOR, LAST_PAUSE_MS);
  }
}
