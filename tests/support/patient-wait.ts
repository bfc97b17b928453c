import { vi } from 'vitest';

/** That of `expect.poll` (vite.config.ts): by itself Vitest gives up after a second, in which a busy machine may stand still. */
const PATIENCE = { timeout: 30_000 };

const { waitFor } = vi;
// The files of a worker share it.
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options = PATIENCE) {
    return waitFor(callback, typeof options === 'number' ? options : { ...PATIENCE, ...options });
  };
}
