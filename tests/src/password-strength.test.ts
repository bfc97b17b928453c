import { expect, test } from 'vitest';
import { passwordChecks, passwordStrength, strengthLabel } from '../../src/features/auth/password-strength.ts';

test.each([
  ['', 0, 'Weak'],
  ['a', 16, 'Weak'],
  ['aB', 33, 'Fair'],
  ['aB3', 50, 'Moderate'],
  ['aB3!', 66, 'Moderate'],
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
