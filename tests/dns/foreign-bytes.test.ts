import { expect, test } from 'vitest';
import { cloudflareUnderTest } from '../support/standins/cloudflare/index.ts';
import { openDns, replacing, WEB } from '../support/standins/dns-world.ts';
import { route53UnderTest } from '../support/standins/route53/index.ts';

const DKIM = '"v=DKIM1; k=rsa; " "p=MIGf"';

test.each([
  // Cloudflare escapes a byte in decimal, Route 53 in octal.
  ['Cloudflare', () => openDns(cloudflareUnderTest), ['"caf\\233"', '"caf\\234"', DKIM]],
  ['Route 53', () => openDns(route53UnderTest), ['"caf\\351"', '"caf\\352"', DKIM]],
] as const)('%s: what others have at a name stays as it is, byte by byte', async (_title, open, foreign) => {
  await using subject = await open();
  subject.place({ type: 'TXT', name: WEB, ttl: 600, values: foreign, areRaw: true });
  const before = subject.dump();
  const [found] = await subject.read(WEB);
  const values = found?.values ?? [];
  expect(new Set(values).size).toBe(foreign.length);
  const joined = replacing('TXT', [...values], [...values, 'ours']);
  await subject.write([joined]);
  expect(subject.dump()).toEqual([...before, `${WEB} 600 TXT ours`].sort());
  await subject.write([joined]);
  expect(subject.standIn.state.batches).toHaveLength(1);
  await subject.write([{ ...joined, before: joined.after, after: joined.before }]);
  expect(subject.dump()).toEqual(before);
});
