import { afterEach, expect, test, vi } from 'vitest';
import { startThread } from '../../server/lib/thread/thread.ts';
import { refusalOf } from '../support/refusal.ts';

const NEVER = new AbortController().signal;
const HEAP_MAX_MB = 32;
/** The limit of the product (server/lib/thread/thread.ts). */
const SILENT_MS = 60_000;

/** Returns a thread of this text. */
function threadOf(text: string, options: { signal?: AbortSignal } = {}) {
  const program = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return startThread<string, string>({ program, heapMaxMb: HEAP_MAX_MB, signal: NEVER, ...options });
}

const HANGS = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('begun'); for (;;);";
const ECHOES =
  "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (said) => parentPort.postMessage(said));";

afterEach(() => void vi.useRealTimers());

test('a thread that makes no progress is given up after its time, and can be ended', async () => {
  const thread = threadOf(HANGS);
  expect(await thread.next()).toBe('begun');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const refused = refusalOf(thread.next());
  vi.advanceTimersByTime(SILENT_MS);
  expect(await refused).toMatchObject({ code: 'overloaded' });
  await thread.end();
});

test('a thread that says something again and again has all the time it needs', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const thread = threadOf(ECHOES);
  for (let round = 0; round < 3; round += 1) {
    const said = thread.next();
    vi.advanceTimersByTime(0.9 * SILENT_MS);
    thread.post('on');
    expect(await said).toBe('on');
  }
  await thread.end();
});

test('whoever waits hears what the thread threw, that it took too much memory, and why nobody wants it any more', async () => {
  const throwing = threadOf("throw new Error('its own')");
  await expect(throwing.next()).rejects.toThrow('its own');
  const greedy = threadOf('const all = []; for (;;) all.push(new Array(1_000).fill({}));');
  await expect(greedy.next()).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  const leaving = new AbortController();
  const unwanted = threadOf(HANGS, { signal: leaving.signal });
  expect(await unwanted.next()).toBe('begun');
  const waiting = unwanted.next();
  leaving.abort(new Error('not needed'));
  await expect(waiting).rejects.toThrow('not needed');
  await Promise.all([throwing, greedy, unwanted].map(({ end }) => end()));
});
