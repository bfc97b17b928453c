import { expect, test } from 'vitest';
import { type CaaQuestion, judgeCaa, nearestCaa } from '../../server/dns/caa.ts';

const ACCOUNT = 'https://ca.example/acct/1';
const QUESTION: CaaQuestion = {
  identities: ['ca.example', 'ca-two.example'],
  isWildcard: false,
  accountUrl: ACCOUNT,
  methods: ['http-01'],
};

const judged = (values: string[], more: Partial<CaaQuestion> = {}) =>
  judgeCaa(values, { ...QUESTION, ...more })?.why ?? 'may';

test.each([
  ['none', [], 'may'],
  ['reports alone', ['0 iodef "mailto:a@b.example"'], 'may'],
  ['ours', ['0 issue "ca.example"'], 'may'],
  ['ours in capitals, with blanks', ['0 ISSUE " CA.Example ; "'], 'may'],
  ['another name of ours', ['0 issue "ca-two.example"'], 'may'],
  ['ours among others', ['0 issue "other.example"', '0 issue "ca.example"'], 'may'],
  ['another', ['0 issue "other.example"'], 'issuer'],
  ['nobody', ['0 issue ";"'], 'issuer'],
  ['nobody, without a word', ['0 issue ""'], 'issuer'],
  ['what makes no sense is nobody', ['0 issue "ca.example; %%%%"'], 'issuer'],
  ['a wildcard alone says nothing of other names', ['0 issuewild "other.example"'], 'may'],
  ['a known property that is critical', ['128 issue "ca.example"'], 'may'],
  ['an unknown one that is critical', ['0 issue "ca.example"', '128 tbs "x"'], 'critical'],
  ['an unknown one that is not', ['0 issue "ca.example"', '0 tbs "x"'], 'may'],
  ['our account', [`0 issue "ca.example; accounturi=${ACCOUNT}"`], 'may'],
  ['another account', ['0 issue "ca.example; accounturi=https://ca.example/acct/2"'], 'account'],
  ['two accounts in one', [`0 issue "ca.example; accounturi=${ACCOUNT}; accounturi=${ACCOUNT}"`], 'account'],
  ['another account beside any', ['0 issue "ca.example; accounturi=x"', '0 issue "ca.example"'], 'may'],
  ['our kind of proof', ['0 issue "ca.example; validationmethods=dns-01,http-01"'], 'may'],
  ['another kind of proof', ['0 issue "ca.example;validationmethods=dns-01"'], 'method'],
])('CAA: %s', (_, values, expected) => {
  expect(judged(values)).toBe(expected);
});

test('a wildcard goes by issuewild where there is one, else by issue', () => {
  const wild = { isWildcard: true };
  expect(judged(['0 issue "ca.example"'], wild)).toBe('may');
  expect(judged(['0 issue "ca.example"', '0 issuewild ";"'], wild)).toBe('issuer');
  expect(judgeCaa(['0 issue "x"', '0 issuewild ";"'], { ...QUESTION, ...wild })?.add).toBe('0 issuewild "ca.example"');
  expect(judgeCaa(['0 issue "x"'], { ...QUESTION, ...wild })?.add).toBe('0 issue "ca.example"');
});

test('of an account that is not ours, and of an authority that does not say its name, nothing is judged', () => {
  const bound = ['0 issue "ca.example; accounturi=x; validationmethods=y"'];
  expect(judged(bound, { accountUrl: undefined, methods: undefined })).toBe('may');
  expect(judged(['0 issue "other.example"'], { identities: [] })).toBe('may');
});

test('the nearest set up to the name of the zone decides', () => {
  const set = (name: string) => ({ type: 'CAA', name, ttl: 300, values: ['0 issue "ca.example"'] });
  const found = [set('b.example.com'), set('example.com')];
  expect(nearestCaa(found, 'example.com', 'a.b.example.com')?.name).toBe('b.example.com');
  expect(nearestCaa(found, 'example.com', 'c.example.com')?.name).toBe('example.com');
  expect(nearestCaa([], 'example.com', 'c.example.com')).toBe(null);
});
