import { expect, test } from 'vitest';
import { peekPendingDrop, setPendingDrop, subscribePendingDrop, takePendingDrop } from '../../src/api/pending-drop.ts';

const FOLDER = { name: 'photo-site', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] };

test('a folder waits until it is taken, once', () => {
  const seen: (string | undefined)[] = [];
  const unsubscribe = subscribePendingDrop(() => seen.push(peekPendingDrop()?.name));
  setPendingDrop(FOLDER);
  expect(peekPendingDrop()).toBe(FOLDER);
  expect(takePendingDrop()).toBe(FOLDER);
  expect(takePendingDrop()).toBeNull();
  unsubscribe();
  setPendingDrop(FOLDER);
  expect(seen).toEqual(['photo-site', undefined]);
  setPendingDrop(null);
});
