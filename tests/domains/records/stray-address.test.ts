import { expect, test } from 'vitest';
import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import { noAnswers } from '../../../server/domains/records/dns-answers.ts';
import { strayAddress, strayBefore } from '../../../server/domains/records/stray-address.ts';

const ADDRESS = '192.0.2.10';

/** Returns the answers about a name in the zone a.test with this IPv6 address, which is its target's for an alias. */
function foundOf(name: string, six: string, { cname = null as string | null, rightRecords = [] as string[] } = {}) {
  const route: CheckedRecord = {
    ...{ type: 'A', name, value: ADDRESS, ttl: 300, purpose: 'route', required: true, alternativeGroup: null },
    ...{ state: cname === null ? 'missing' : 'ok', seen: [] },
  };
  const answer = { server: 'ns.test', address: '192.0.2.1', values: [six], ttl: 300, error: null, cname };
  return {
    domain: { rightRecords },
    answers: {
      ...{ ...noAnswers(), isUnanswered: false, nameServers: new Map([[`${name} AAAA`, [answer]]]) },
      zone: { apex: 'a.test', servers: [], parentServers: null, childServers: null },
    },
    records: [route],
    target: { isServedHere: true, addresses: [ADDRESS, '2001:db8::7'], alias: null, issuers: [] },
  };
}

/** Returns the problem before the records of the name were ever right. */
function problemOf(name: string, six: string, rightRecords: string[] = []) {
  return strayBefore(foundOf(name, six, { rightRecords }));
}

test('the IPv6 address elsewhere of an alias is told at the name that has it', () => {
  expect(strayAddress(foundOf('www.a.test', '2001:db8::9', { cname: 'a.test' }))).toEqual({
    code: 'aaaa_elsewhere',
    message: 'The AAAA record of a.test points to 2001:db8::9, which is another server.',
    hint: 'Remove the AAAA record of a.test, or set it to 2001:db8::7.',
  });
  expect(strayAddress(foundOf('www.a.test', '2001:db8::7', { cname: 'a.test' }))).toBeNull();
});

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
