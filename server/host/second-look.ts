import { setTimeout as delay } from 'node:timers/promises';

/** For one site, however many of its visitors ask for what is not there. */
const LOOK_EVERY_MS = 100;
/** Nobody waits longer to hear that there is nothing: the database may be slow, or away. */
const PATIENCE_MS = 500;
const SITES_MAX = 10_000;

/**
 * Before a site says that it has no such file. Of two processes one hears of a switch some milliseconds before the
 * other: a page that the one has answered may name files that the other does not know yet. Resolves when the site was
 * looked at a moment ago, by whoever asked first, or when that takes too long.
 */
export function createSecondLook(
  look: (deploymentId: string) => Promise<void>,
): (deploymentId: string) => Promise<void> {
  const looks = new Map<string, { at: number; done: Promise<void> }>();
  return (deploymentId) => {
    const at = performance.now();
    const last = looks.get(deploymentId);
    if (last !== undefined && at - last.at < LOOK_EVERY_MS) return last.done;
    if (looks.size >= SITES_MAX) looks.clear();
    const done = inTime(look(deploymentId));
    looks.set(deploymentId, { at, done });
    return done;
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const giveUp = new AbortController();
  await Promise.race([work, delay(PATIENCE_MS, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
  giveUp.abort();
}
