import { expect, test } from 'vitest';
import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import { noAnswers } from '../../../server/domains/records/dns-answers.ts';
import { strayBefore } from '../../../server/domains/records/stray-address.ts';

const ADDRESS = '192.0.2.10';

/** Returns the problem with the IPv6 address of a name in the zone a.test, whose record is to be set. */
function problemOf(name: string, six: string, rightRecords: string[] = []) {
  const route: CheckedRecord = {
    ...{ type: 'A', name, value: ADDRESS, ttl: 300, purpose: 'route', required: true, alternativeGroup: null },
    ...{ state: 'missing', seen: [] },
  };
  const answer = { server: 'ns.test', address: '192.0.2.1', values: [six], ttl: 300, error: null, cname: null };
  return strayBefore({
    domain: { rightRecords },
    answers: {
      ...{ ...noAnswers(), isUnanswered: false, nameServers: new Map([[`${name} AAAA`, [answer]]]) },
      zone: { apex: 'a.test', servers: [], parentServers: null, childServers: null },
    },
    records: [route],
    target: { isServedHere: true, addresses: [ADDRESS, '2001:db8::7'], alias: null, issuers: [] },
  });
}

test('an IPv6 address elsewhere is told before the other records are set, where it is no wildcard’s', () => {
  expect(problemOf('a.test', '2001:db8::9')).toMatchObject({
    code: 'aaaa_elsewhere',
    message: 'a.test has the IPv6 address (AAAA) of another server, 2001:db8::9.',
  });
  expect(problemOf('a.test', '2001:db8::7')).toBeNull();
  expect(problemOf('www.a.test', '2001:db8::9')).toBeNull();
  // Once they were right, it is told what has changed.
  expect(problemOf('a.test', '2001:db8::9', ['A a.test 192.0.2.10'])).toBeNull();
});
