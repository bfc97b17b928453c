import { builtIn } from '../../server/platforms/built-in/index.ts';
import { platforms } from '../../server/platforms/index.ts';
import type { Platform } from '../../server/platforms/platform.ts';

/** Long enough that an answer which differs is asked for again a few times. */
const SETTLE_MS = 300;

/** This platform, of which nobody waits for seconds that its edge follows: for what is never seen. */
export function impatient(platform: Platform): Platform {
  const { capabilities } = platform;
  return { ...platform, capabilities: { ...capabilities, limits: { ...capabilities.limits, settleMs: SETTLE_MS } } };
}

export const HASTY_PLATFORMS = { ...platforms, 'built-in': impatient(builtIn) };
