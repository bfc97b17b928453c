import { expect, test } from 'vitest';
import { afterAccountChange, shownTo, type Waiting } from '../../src/uploads/waiting-selection.ts';

const SELECTION = { name: 'photo-site', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] };

/** Returns the selection that an account sees after the session has changed, step by step. */
function after(owner: string | null, ...steps: (string | 'log out' | null)[]) {
  let waiting: Waiting = { selection: SELECTION, owner };
  let accountId = owner;
  for (const step of steps) {
    accountId = step === 'log out' ? null : step;
    waiting = afterAccountChange(waiting, accountId, step === 'log out');
  }
  return shownTo(waiting, accountId);
}

test('the selection of a visitor is there after registration, and is that account’s from then on', () => {
  expect(after(null, 'ann')).toBe(SELECTION);
  expect(after(null, 'ann', 'ben')).toBeNull();
});

test('a selection goes with the account that logs out', () => {
  expect(after('ann', 'log out')).toBeNull();
  expect(after('ann', 'log out', 'ann')).toBeNull();
});

test('a session that ended by itself hides the selection until the same account is back', () => {
  expect(after('ann', null)).toBeNull();
  expect(after('ann', null, 'ann')).toBe(SELECTION);
});
