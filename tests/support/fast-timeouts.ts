import { builtIn } from '../../server/publishing/platforms/built-in/index.ts';
import type { Platform } from '../../server/publishing/platforms/platform.ts';
import { platforms } from './platforms.ts';

/** Long enough for a few attempts at an answer that differs from what was published. */
const SETTLE_MS = 300;

/** The same platform with a short wait for its edge: for tests in which a release is never seen live. */
export function withFastTimeouts(platform: Platform): Platform {
  const { capabilities } = platform;
  return { ...platform, capabilities: { ...capabilities, limits: { ...capabilities.limits, settleMs: SETTLE_MS } } };
}

export const FAST_PLATFORMS = { ...platforms, 'built-in': withFastTimeouts(builtIn) };
