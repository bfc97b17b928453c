import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { http2Load } from '../../bench/http2-load.ts';
import { program } from '../../support/program.ts';
import { IS_FULL } from '../../support/size.ts';

const BODY_BYTES = 20 * 1024;
const MINUTE_MS = 60_000;

/** Corrupted memory ends a process that cannot catch it, so the port runs in one of its own; it happened within these. */
const CASES = [
  { durationMs: 3 * MINUTE_MS, answersMax: 4_000, requestsPerSession: 7, streams: 8 },
  ...(IS_FULL ? [{ durationMs: 3 * MINUTE_MS, requestsPerSession: 100, streams: 8 }] : []),
];

test.each(CASES)(
  'sessions that end after $requestsPerSession of many requests do not end the process',
  async ({ requestsPerSession, ...load }) => {
    const args = [...program('http2-port'), String(requestsPerSession), String(BODY_BYTES)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [{ port }] = await once(child, 'message');
    const { requests } = await http2Load({
      port,
      host: 'harbour.localhost',
      path: '/',
      bodyBytes: BODY_BYTES,
      connections: 8,
      ...load,
    });
    expect(requests).toBeGreaterThanOrEqual(4_000);
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
  4 * MINUTE_MS,
);
