import { platformError } from './failures.ts';
import type { PlatformCall, PlatformRelease, PlatformState, RestoreEvent } from './platform.ts';

const FIRST_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 1.5;
/** Looked at for a few seconds at once, since many are done by then; after that a worker has better things to do. */
const PATIENCE = { patienceMs: 5_000, comeBackMs: 5_000 };

/** Returns a platform's word as one of ours; one that is not in the table means "wait". */
export function stateOf(table: Readonly<Record<string, PlatformState>>, word: string | null): PlatformState {
  return word !== null && Object.hasOwn(table, word) ? (table[word] ?? 'processing') : 'processing';
}

/**
 * Looks at a release until the platform is done with it, telling what it says on the way. After `patienceMs` it yields
 * `waiting`; a caller that walks on all the same makes it look again. Throws `platform_failed` when the release failed there, or was
 * cancelled there by somebody else.
 */
export async function* waitUntilDone(
  call: PlatformCall,
  title: string,
  look: () => Promise<PlatformRelease>,
  { patienceMs, comeBackMs } = PATIENCE,
): AsyncGenerator<RestoreEvent, PlatformRelease> {
  let told: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let waitedMs = 0;
  for (;;) {
    call.signal.throwIfAborted();
    const seen = await look();
    if (seen.state === 'verifying') return seen;
    if (seen.state === 'failed') throw platformError('platform_failed', title, { said: seen.text });
    if (seen.state === 'cancelled') throw platformError('platform_failed', title, { said: 'it was cancelled there' });
    const text = seen.text ?? `${title} is working on it`;
    if (text !== told) yield { type: 'processing', text };
    told = text;
    if (waitedMs >= patienceMs) {
      yield { type: 'waiting', text, retryAfterMs: comeBackMs };
      waitedMs = 0;
      pauseMs = FIRST_PAUSE_MS;
    }
    await call.wait(pauseMs, call.signal);
    waitedMs += pauseMs;
    pauseMs *= PAUSE_FACTOR;
  }
}
