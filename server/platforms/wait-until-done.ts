import { redactedLine } from '../lib/egress/vendor-answers.ts';
import { endedThere } from './failures.ts';
import type { PlatformCall, PlatformRelease, PlatformState, RestoreEvent } from './platform.ts';

/** What takes a moment there is seen a moment later, and what takes longer is asked for every two seconds. */
const FIRST_PAUSE_MS = 100;
const PAUSE_FACTOR = 1.5;
const LAST_PAUSE_MS = 2_000;

/** Returns a platform's word as one of ours; one that is not in the table means "wait". */
export function stateOf(table: Readonly<Record<string, PlatformState>>, word: string | null): PlatformState {
  return word !== null && Object.hasOwn(table, word) ? (table[word] ?? 'processing') : 'processing';
}

/**
 * Looks at a release until the platform is done with it, telling what it says on the way. At the end of the run's patience
 * for `what` it yields `waiting`; a caller that walks on all the same makes it look again. Throws `platform_failed` when the release
 * failed there, or was cancelled there by somebody else.
 */
export async function* waitUntilDone(
  call: PlatformCall,
  title: string,
  look: () => Promise<PlatformRelease>,
  what = 'the release',
): AsyncGenerator<RestoreEvent, PlatformRelease> {
  let told: string | null = null;
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
    if (text !== told) yield { type: 'processing', text };
    told = text;
    if (waitedMs >= call.patience.lookingMs(what)) {
      yield { type: 'waiting', text, retryAfterMs: call.patience.leave(what) };
      waitedMs = 0;
    }
    await call.wait(pauseMs, call.signal);
    waitedMs += pauseMs;
    pauseMs = Math.min(pauseMs * PAUSE_FACTOR, LAST_PAUSE_MS);
  }
}
