import { expect, test } from 'vitest';
import {
  passwordChecks,
  passwordHint,
  passwordStrength,
  strengthLabel,
} from '../../src/features/auth/password/password-strength.ts';

test.each([
  ['', 0, 'Weak'],
  ['a', 16, 'Weak'],
  ['aB', 33, 'Fair'],
  ['aB3', 50, 'Moderate'],
  ['aB3!', 66, 'Moderate'],
  ['aB3!efg', 66, 'Moderate'],
  ['aB3!efgh', 83, 'Strong'],
  ['aB3defghijk', 66, 'Moderate'],
  ['aB3defghijkl', 83, 'Strong'],
  ['Deckhand7', 66, 'Moderate'],
  ['Deckhand7!', 83, 'Strong'],
  ['Deckhand7-more', 100, 'Strong'],
  ['abcdefgh', 33, 'Fair'],
  ['abcdefghijkl', 50, 'Moderate'],
] as const)('%j has %i percent and is %s', (password, strength, label) => {
  expect(passwordStrength(password)).toBe(strength);
  expect(strengthLabel(passwordStrength(password))).toBe(label);
});

test.each([
  [29, 'Weak'],
  [30, 'Fair'],
  [49, 'Fair'],
  [50, 'Moderate'],
  [79, 'Moderate'],
  [80, 'Strong'],
] as const)('%i percent is %s', (strength, label) => {
  expect(strengthLabel(strength)).toBe(label);
});

test('the checklist has the four rules of a registration in their order', () => {
  expect(passwordChecks.map(({ label, isMet }) => [label, isMet('short1')])).toEqual([
    ['At least 8 characters', false],
    ['An uppercase letter', false],
    ['A lowercase letter', true],
    ['A number', true],
  ]);
});

test.each([
  ['Password1', ''],
  ['P@ssw0rd123!', ''],
  ['Qwerty123', ''],
  ['Aa123456', ''],
  ['1Q2w3e4r', ''],
  ['123456789', ''],
  ['Welcome2026!', ''],
])('%j is named as one that many people use', (password, username) => {
  expect(passwordHint(password, username)).toContain('very common');
});

test.each([
  ['Ada Lovelace 1', 'ada lovelace'],
  ['my-AdaLovelace-1', 'Ada Lovelace'],
  ['Captain7', 'cap'],
])('%j holds the name %j', (password, username) => {
  expect(passwordHint(password, username)).toContain('your username');
});

test.each([
  ['Anchor weigh 1', 'Grace'],
  ['Jo-and-the-sea-7', 'jo'],
  ['Deckhand7', ''],
  ['Pass1', ''],
  ['', ''],
])('nothing is said of %j', (password, username) => {
  expect(passwordHint(password, username)).toBeNull();
});
