import { expect, test } from 'vitest';
import { everyPage, identityOfZones } from '../../server/dns/providers/zone-reading.ts';
import {
  caaPartsOf,
  comparableName,
  fromCharacterStrings,
  toCharacterStrings,
} from '../../server/dns/record-values.ts';
import { relativeName, wholeName } from '../../server/dns/zone-names.ts';

const ZONE = { id: 'ours.test', name: 'ours.test', apexAlias: null };

test('texts come back from character strings as they were', () => {
  for (const text of [
    '',
    'plain',
    'a "quoted" \\ text;',
    'é and ✉',
    'x'.repeat(255),
    'y'.repeat(700),
    'é'.repeat(200),
  ]) {
    expect(fromCharacterStrings(toCharacterStrings(text))).toBe(text);
    expect(fromCharacterStrings(toCharacterStrings(text, 8), 8)).toBe(text);
  }
});

test('two values that are no text stay two', () => {
  expect(fromCharacterStrings('"caf\\233"')).not.toBe(fromCharacterStrings('"caf\\234"'));
});

test('a long text is cut into strings of 255 bytes', () => {
  expect(toCharacterStrings('x'.repeat(300))).toBe(`"${'x'.repeat(255)}" "${'x'.repeat(45)}"`);
  expect(toCharacterStrings('')).toBe('""');
});

test('bytes beyond ASCII are escaped in decimal, or in octal for Route 53', () => {
  expect(toCharacterStrings('é')).toBe('"\\195\\169"');
  expect(toCharacterStrings('é', 8)).toBe('"\\303\\251"');
});

test('strings are joined whatever stands between them, and a text without quotes is taken as it is', () => {
  expect(fromCharacterStrings('"one" "two"')).toBe('onetwo');
  expect(fromCharacterStrings('"one""two"')).toBe('onetwo');
  expect(fromCharacterStrings('"é"')).toBe('é');
  expect(fromCharacterStrings('v=spf1 "all"')).toBe('v=spf1 "all"');
});

test('the parts of a CAA value are found, and nothing else is taken for one', () => {
  expect(caaPartsOf('0 issue "ca.example; validationmethods=dns-01"')).toEqual({
    flags: 0,
    tag: 'issue',
    value: 'ca.example; validationmethods=dns-01',
  });
  expect(caaPartsOf('128 IODEF "mailto:a@b.example"')).toMatchObject({ flags: 128, tag: 'iodef' });
  expect(caaPartsOf('issue ca.example')).toBe(null);
});

test('names are compared without case and without their last dot', () => {
  expect(comparableName('10 Mail.Ours.Test.')).toBe('10 mail.ours.test');
  expect(comparableName('0 .')).toBe('0 .');
});

test('names are told within their zone and as whole', () => {
  for (const [relative, whole] of [
    ['@', 'ours.test'],
    ['www', 'www.ours.test'],
    ['*', '*.ours.test'],
    ['a.b', 'a.b.ours.test'],
  ] as const) {
    expect(relativeName(ZONE, whole)).toBe(relative);
    expect(wholeName(ZONE, relative)).toBe(whole);
  }
  expect(wholeName(ZONE, 'Elsewhere.example.net.')).toBe('elsewhere.example.net');
});

test('pages are read until one says that it is the last, or has nothing', async () => {
  const read = (last: number) =>
    everyPage(1, async (page) => ({ items: page > 7 ? [] : [page], next: page < last ? page + 1 : null }));
  expect(await read(3)).toEqual([1, 2, 3]);
  expect(await read(Number.POSITIVE_INFINITY)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('an account that does not tell its name is named by its zones', () => {
  const zones = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'].map((name) => ({ name }));
  expect(identityOfZones('Hetzner', zones)).toBe('a.test, b.test, c.test and 2 more');
  expect(identityOfZones('Hetzner', zones.slice(0, 1))).toBe('a.test');
  expect(identityOfZones('Hetzner', [])).toBe('Hetzner');
});
