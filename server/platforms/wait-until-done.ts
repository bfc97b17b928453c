import { platformError } from './failures.ts';
import type { PlatformCall, PlatformRelease, PlatformState, PublishEvent } from './platform.ts';

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 10_000;
const PAUSE_FACTOR = 1.5;
/** After a minute of looking a worker has better things to do (platform facts, 8.6). */
const PATIENCE = { patienceMs: 60_000, comeBackMs: 15_000 };

/** A platform's word as one of ours; one that is not in the table means "wait" (platform facts, 8.3). */
export function stateOf(table: Readonly<Record<string, PlatformState>>, word: string | null): PlatformState {
  return word !== null && Object.hasOwn(table, word) ? (table[word] ?? 'processing') : 'processing';
}

/**
 * Looks at a release until the platform is done with it, telling what it says on the way. After `patienceMs` it yields
 * `waiting`; walked on all the same, it goes on looking. Throws `platform_failed` when the release failed there, or was
 * cancelled there by somebody else.
 */
export async function* waitUntilDone(
  call: PlatformCall,
  title: string,
  look: () => Promise<PlatformRelease>,
  { patienceMs, comeBackMs } = PATIENCE,
): AsyncGenerator<PublishEvent, PlatformRelease> {
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
    }
    await call.wait(pauseMs, call.signal);
    waitedMs += pauseMs;
    pauseMs = Math.min(pauseMs * PAUSE_FACTOR, LAST_PAUSE_MS);
  }
}
