import { once } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { testEgress } from '../support/platforms.ts';

test('an answer that stays out is given up, also when garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Garbage cannot be collected here.');
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const request = { signal: new AbortController().signal, maxBytes: 1, silenceMs: 50, wholeMs: 300_000 };
  const asking = testEgress().request(url, request, async () => undefined);
  const collecting = setInterval(() => collect(), 50);
  try {
    await expect(asking).rejects.toMatchObject({ fault: 'silent', message: 'no answer in time' });
  } finally {
    clearInterval(collecting);
    silent.closeAllConnections();
    silent.close();
  }
}, 30_000);
