import { LRUCache } from 'lru-cache';
import { inTime } from '../in-time.ts';

/** Limits the checks of one site, however many of its visitors ask for missing files. */
const LOOK_EVERY_MS = 100;
const SITES_MAX = 10_000;

/**
 * Creates the check that a site runs before it answers that a file does not exist. Of two processes one hears of a
 * switch some milliseconds before the other, so that a page from the first may name files that the second does not
 * know yet. The promise resolves at once when the site was checked a moment ago, and also when the check takes too
 * long: then the known release decides, and nobody waits again until the database has answered.
 */
export function createRouteRecheck(
  look: (deploymentId: string) => Promise<void>,
): (deploymentId: string) => Promise<void> {
  const looks = new LRUCache<string, { at: number; done: Promise<void> }>({ max: SITES_MAX });
  let unanswered = 0;

  async function lookInTime(deploymentId: string): Promise<void> {
    const looking = look(deploymentId);
    try {
      await inTime(looking);
    } catch {
      unanswered += 1;
      const count = (): number => (unanswered -= 1);
      looking.then(count, count);
    }
  }

  return (deploymentId) => {
    if (unanswered > 0) return Promise.resolve();
    const at = performance.now();
    const last = looks.get(deploymentId);
    if (last !== undefined && at - last.at < LOOK_EVERY_MS) return last.done;
    const done = lookInTime(deploymentId);
    looks.set(deploymentId, { at, done });
    return done;
  };
}
