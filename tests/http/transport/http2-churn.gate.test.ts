import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { http2Load } from '../../bench/http2-load.ts';
import { program } from '../../support/program.ts';

/** Corrupted memory ends a process that cannot catch it, so the port runs in one of its own; it happened within this many. */
const ANSWERS = 4_000;
const REQUESTS_PER_SESSION = 7;
const BODY_BYTES = 20 * 1024;

test('sessions that end in the middle of many requests do not end the process', async () => {
  const args = [...program('http2-port'), String(REQUESTS_PER_SESSION), String(BODY_BYTES)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ port }] = await once(child, 'message');
  const { requests } = await http2Load({
    port,
    host: 'harbour.localhost',
    path: '/',
    bodyBytes: BODY_BYTES,
    connections: 8,
    streams: 8,
    durationMs: 50_000,
    answersMax: ANSWERS,
  });
  expect(requests).toBeGreaterThanOrEqual(ANSWERS);
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
