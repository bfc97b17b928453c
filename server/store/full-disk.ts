import type { Log } from '../lib/log.ts';
import type { OnDiskFull } from './disk/space.ts';

const LOOK_EVERY_MS = 60_000;

/**
 * Logs a full disk when something is refused, and again when there is space: a line each, however many are refused in
 * between. Live sites are served as before, so that `/api/ready` does not mention it.
 */
export function createFullDiskListener(log: Log, lookEveryMs = LOOK_EVERY_MS): OnDiskFull {
  const full = new Set<string>();
  return ({ disk, folder, freeBytes, hasSpace }) => {
    if (full.has(disk)) return;
    full.add(disk);
    log.warn('A disk has no room: uploads are refused until there is some', { disk: folder ?? disk, freeBytes });
    const timer = setInterval(async () => {
      // A disk that cannot be checked now still counts as full; of two concurrent checks one writes the line.
      if (!(await hasSpace().catch(() => false)) || !full.delete(disk)) return;
      clearInterval(timer);
      log.info('A disk has room again: uploads are taken', { disk: folder ?? disk });
    }, lookEveryMs).unref();
  };
}
