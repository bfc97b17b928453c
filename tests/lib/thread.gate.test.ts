import { expect, test } from 'vitest';
import { startThread } from '../../server/lib/thread/thread.ts';
import { refusalOf } from '../support/refusal.ts';

const NEVER = new AbortController().signal;
const HEAP_MAX_MB = 32;
const SILENT_MS = 1_500;

/** Returns a thread of this text. */
function threadOf(text: string, options: { silentMs?: number; signal?: AbortSignal } = {}) {
  const program = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return startThread<string, string>({ program, heapMaxMb: HEAP_MAX_MB, signal: NEVER, ...options });
}

const HANGS = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('begun'); for (;;);";
const ECHOES =
  "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (said) => parentPort.postMessage(said));";

test('a thread that makes no progress is given up after its time, and can be ended', async () => {
  // It takes a while to begin where others compute.
  const thread = threadOf(HANGS, { silentMs: SILENT_MS });
  expect(await thread.next()).toBe('begun');
  expect(await refusalOf(thread.next())).toMatchObject({ code: 'overloaded' });
  await thread.end();
});

test('a thread that says something again and again has all the time it needs', async () => {
  const thread = threadOf(ECHOES, { silentMs: SILENT_MS });
  const startedAt = performance.now();
  while (performance.now() - startedAt < 1.5 * SILENT_MS) {
    await new Promise((resolve) => setTimeout(resolve, SILENT_MS / 20));
    thread.post('on');
    expect(await thread.next()).toBe('on');
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
