import { expect, test, vi } from 'vitest';
import { withZoneLease, type ZoneWriter } from '../../server/connections/zone-lease.ts';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { MINUTE_MS } from '../../server/lib/durations.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { provider as rfc2136 } from '../support/rfc2136-under-test.ts';

const { signal } = new AbortController();
const zone = { id: 'ours.test', name: 'ours.test' };
const KEY = { zone: 'ours.test', algorithm: 'hmac-sha256', secret: 'a2V5' } as const;

function atPowerDns(url: string, apiKey: string): ZoneWriter {
  return { provider: powerdns() as ZoneWriter['provider'], call: { credentials: { url, apiKey }, signal }, zone };
}

function atServer(server: string, keyName: string, port?: number): ZoneWriter {
  const credentials = { ...KEY, server, keyName, ...(port !== undefined && { port }) };
  return { provider: rfc2136 as ZoneWriter['provider'], call: { credentials, signal }, zone };
}

/** Returns the order of two runs, of which the second begins while the first writes, after `meanwhile`. */
async function orderOf(
  { providers }: Pick<TestApp, 'providers'>,
  [one, other]: readonly [ZoneWriter, ZoneWriter],
  meanwhile = async (): Promise<void> => undefined,
): Promise<string[]> {
  const order: string[] = [];
  let second: Promise<void> | null = null;
  await withZoneLease(providers, one, async () => {
    order.push('first begins');
    await meanwhile();
    await new Promise<void>((looked) => {
      const wait = async (ms: number) => {
        looked();
        return providers.wait(ms, signal);
      };
      second = withZoneLease({ ...providers, wait }, other, async () => void order.push('second')).finally(looked);
    });
    order.push('first ends');
  });
  await second;
  return order;
}

const IN_TURN = ['first begins', 'first ends', 'second'];
const AT_ONCE = ['first begins', 'second', 'first ends'];

test.each<[string, ZoneWriter, ZoneWriter, string[]]>([
  ['two runs of one connection', atPowerDns('http://a.test/', 'key'), atPowerDns('http://a.test/', 'key'), IN_TURN],
  ['two accounts at one server', atPowerDns('http://a.test/', 'anna'), atPowerDns('http://A.test', 'bert'), IN_TURN],
  ['two keys of one server', atServer('ns1.a.test', 'anna'), atServer('ns1.a.test', 'bert', 53), IN_TURN],
  ['two servers', atPowerDns('http://a.test/', 'key'), atPowerDns('http://b.test/', 'key'), AT_ONCE],
  ['two ports', atServer('ns1.a.test', 'key'), atServer('ns1.a.test', 'key', 5353), AT_ONCE],
])('%s with a zone of one name: %#', async (_, one, other, order) => {
  await using app = await createTestApp();
  expect(await orderOf(app, [one, other])).toEqual(order);
});

test('a writer that holds a zone for longer than any write takes keeps nobody else waiting', async () => {
  await using app = await createTestApp();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const one = atPowerDns('http://a.test/', 'stranger');
  const order = await orderOf(app, [one, atPowerDns('http://a.test/', 'anna')], async () => {
    app.clock.advance(6 * MINUTE_MS);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
  }).finally(() => vi.useRealTimers());
  expect(order).toEqual(AT_ONCE);
});
