import { once } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ask, type Vendor } from '../../server/publishing/platforms/http.ts';
import { platformHarness } from '../support/platform-harness.ts';

test('an answer that stays out is given up, also when garbage is collected meanwhile', async () => {
  await using harness = await platformHarness();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Garbage cannot be collected here.');
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const vendor: Vendor = { id: 'netlify', title: 'A platform', apiUrl, words: () => null, silenceMs: 50 };
  const asking = ask(harness.call, vendor, { url: '/' }, z.unknown());
  const collecting = setInterval(() => collect(), 10);
  try {
    await expect(asking).rejects.toMatchObject({
      code: 'platform_down',
      message: expect.stringContaining('no answer in time'),
    });
  } finally {
    clearInterval(collecting);
    silent.closeAllConnections();
    silent.close();
  }
}, 30_000);
