import { expect, test } from 'vitest';
import { findChallengeName } from '../../server/dns/challenge-name.ts';
import { DnsLookupError } from '../../server/dns/dns-client.ts';

const NAME = '_acme-challenge.monitoring.kai.test';
const WILDCARD = { suffix: '.monitoring.kai.test', target: 'lb.cloud.test' };

/** Name servers that have these CNAME records, and of a wildcard what it answers where there is none. */
function servers(aliases: Record<string, string>, wildcard: typeof WILDCARD | null = null) {
  return {
    async askNameServers(name: string) {
      const covering = wildcard !== null && name.endsWith(wildcard.suffix) ? wildcard.target : null;
      const cname = aliases[name] ?? covering;
      const answer = { server: 'ns.test', address: '127.0.0.1', values: [], ttl: null, error: null, cname };
      return { zone: null, answers: [answer] };
    },
  };
}

test.each([
  ['at its own name', servers({}), NAME],
  ['at its own name, also where a wildcard answers for it', servers({}, WILDCARD), NAME],
  ['where a record of its own leads, beside a wildcard', servers({ [NAME]: 'x.auth.test' }, WILDCARD), 'x.auth.test'],
  ['at the end of several', servers({ [NAME]: 'x.auth.test', 'x.auth.test': 'y.auth.test' }), 'y.auth.test'],
])('a challenge is answered %s', async (_where, lookups, place) => {
  expect(await findChallengeName(lookups, NAME)).toBe(place);
});

test('aliases that lead in a circle are given up, and where nobody answers it is the name itself', async () => {
  const circle = servers({ [NAME]: 'x.auth.test', 'x.auth.test': NAME });
  expect([NAME, 'x.auth.test']).toContain(await findChallengeName(circle, NAME));
  const askNameServers = async () => {
    throw new DnsLookupError('timeout', 'No answer.');
  };
  expect(await findChallengeName({ askNameServers }, NAME)).toBe(NAME);
});
