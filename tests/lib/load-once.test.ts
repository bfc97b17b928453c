import { expect, test, vi } from 'vitest';
import { loadOnce } from '../../server/lib/load-once.ts';

test('what was loaded is kept, and what could not be loaded is loaded again', async () => {
  const load = vi.fn(async () => 'loaded').mockRejectedValueOnce(new Error('EMFILE'));
  const loaded = loadOnce(load);
  await expect(loaded()).rejects.toThrow('EMFILE');
  expect(await Promise.all([loaded(), loaded()])).toEqual(['loaded', 'loaded']);
  expect(load).toHaveBeenCalledTimes(2);
});
