import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { atFreePort } from '../support/at-free-port.ts';
import { testEgress } from '../support/platforms.ts';

test('an answer that stays out is given up, also when garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Garbage cannot be collected here.');
  await using silent = await atFreePort(createServer(() => undefined));
  const request = { signal: new AbortController().signal, maxBytes: 1, silenceMs: 50, wholeMs: 300_000 };
  const asking = testEgress().request(silent.url, request, async () => undefined);
  const collecting = setInterval(() => collect(), 50);
  try {
    await expect(asking).rejects.toMatchObject({ fault: 'silent', message: 'no answer in time' });
  } finally {
    clearInterval(collecting);
  }
}, 30_000);
