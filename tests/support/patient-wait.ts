import { vi } from 'vitest';

/**
 * The patience of `expect.poll` (vite.config.ts): by default Vitest stops after a second, during which a busy machine
 * may stand still.
 */
const PATIENCE = { timeout: 30_000 };

const { waitFor } = vi;
// The files of a worker share it.
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options = PATIENCE) {
    return waitFor(callback, typeof options === 'number' ? options : { ...PATIENCE, ...options });
  };
}
