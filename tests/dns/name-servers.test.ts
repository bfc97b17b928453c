import { Resolver } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-ports.ts';
import { startBind, startPowerDns, startUnbound, stubOf } from '../support/name-servers.ts';

function resolverAt({ address, port }: { address: string; port: number }): Resolver {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 });
  resolver.setServers([`${address}:${port}`]);
  return resolver;
}

test('two kinds of name servers answer on one port, and a resolver in front of them', async () => {
  const port = await freePort();
  await using bind = await startBind({
    port,
    zones: {
      'plain.test': { records: '@ NS ns1\nns1 A 127.0.0.1\nwww A 192.0.2.1' },
      'signed.test': { records: '@ NS ns1\nns1 A 127.0.0.1\nwww A 192.0.2.2', isSigned: true },
    },
  });
  await using powerDns = await startPowerDns({ port });
  await powerDns.createZone('shop.test', {
    'shop.test NS': ['ns1.shop.test.'],
    'ns1.shop.test A': ['127.0.0.2'],
    'www.shop.test A': ['192.0.2.3'],
  });
  await using unbound = await startUnbound({
    stubs: {
      'plain.test': [stubOf(bind)],
      'signed.test': [stubOf(bind)],
      'shop.test': [stubOf(powerDns)],
    },
    trustAnchors: [await bind.dnskeyOf('signed.test')],
  });

  expect(await resolverAt(bind).resolve4('www.plain.test')).toEqual(['192.0.2.1']);
  expect(await resolverAt(powerDns).resolve4('www.shop.test')).toEqual(['192.0.2.3']);
  const resolver = resolverAt(unbound);
  for (const [name, address] of [
    ['www.plain.test', '192.0.2.1'],
    ['www.signed.test', '192.0.2.2'],
    ['www.shop.test', '192.0.2.3'],
  ] as const)
    expect(await resolver.resolve4(name)).toEqual([address]);

  await powerDns.writeSets('shop.test', { 'www.shop.test A': [], 'new.shop.test TXT': ['"a word"'] });
  expect(await resolverAt(powerDns).resolveTxt('new.shop.test')).toEqual([['a word']]);
  await unbound.flush('shop.test');
  await expect(resolver.resolve4('www.shop.test')).rejects.toThrow('ENOTFOUND');
  await expect(resolver.resolve4('www.elsewhere.test')).rejects.toThrow('EREFUSED');
});
