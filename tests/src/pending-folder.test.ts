import { expect, test } from 'vitest';
import { createPendingFolder } from '../../src/api/pending-folder.ts';

const FOLDER = { name: 'photo-site', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] };

function arrange(first: string | null) {
  let account = first;
  let hasLoggedOut = false;
  let tell = (): void => {};
  const folder = createPendingFolder({
    accountId: () => account,
    isSignedOut: () => hasLoggedOut,
    onAccountChange: (listener) => {
      tell = listener;
    },
  });
  const become = (next: string | null, options = { hasLoggedOut: false }): void => {
    account = next;
    hasLoggedOut = options.hasLoggedOut;
    tell();
  };
  return { folder, become };
}

test('whoever listens is told of a folder once, and of its end', () => {
  const { folder } = arrange(null);
  const seen: (string | undefined)[] = [];
  const unsubscribe = folder.subscribe(() => seen.push(folder.get()?.name));
  folder.set(FOLDER);
  folder.set(FOLDER);
  folder.set(null);
  unsubscribe();
  folder.set(FOLDER);
  expect(seen).toEqual(['photo-site', undefined]);
});

test('the folder of a visitor is there after registration, and is that account’s from then on', () => {
  const { folder, become } = arrange(null);
  folder.set(FOLDER);
  become('ann');
  expect(folder.get()).toBe(FOLDER);
  become('ben');
  expect(folder.get()).toBeNull();
});

test('a folder goes with the account that logs out', () => {
  const { folder, become } = arrange('ann');
  folder.set(FOLDER);
  become(null, { hasLoggedOut: true });
  expect(folder.get()).toBeNull();
  become('ann');
  expect(folder.get()).toBeNull();
});

test('a session that ended by itself hides the folder until the same account is back', () => {
  const { folder, become } = arrange('ann');
  folder.set(FOLDER);
  become(null);
  expect(folder.get()).toBeNull();
  become('ann');
  expect(folder.get()).toBe(FOLDER);
});

test('a session that ended by itself leaves nothing to the next account', () => {
  const { folder, become } = arrange('ann');
  folder.set(FOLDER);
  become(null);
  become('ben');
  expect(folder.get()).toBeNull();
  become('ann');
  expect(folder.get()).toBeNull();
});
