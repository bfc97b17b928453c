import { expect, test } from 'vitest';
import { withZoneLease } from '../../server/connections/zone-lease.ts';
import { createTestApp } from '../support/app.ts';

test('of two runs of one account the second writes to a zone after the first, whatever both work on', async () => {
  await using app = await createTestApp();
  const { signal } = new AbortController();
  const writer = { accountId: 'anna', zone: 'ours.test', signal };
  const order: string[] = [];
  let second: Promise<void> | null = null;
  await withZoneLease(app.providers, writer, async () => {
    order.push('first begins');
    await new Promise<void>((looked) => {
      const wait = async (ms: number) => {
        looked();
        return app.providers.wait(ms, signal);
      };
      second = withZoneLease({ ...app.providers, wait }, writer, async () => void order.push('second')).finally(looked);
    });
    order.push('first ends');
  });
  await second;
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});
