import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import { refusalByLimits } from '../../routers/schemas/platforms/limits.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { SimulatedPlatform } from '../../routers/schemas/simulation.ts';
import type { ReleaseStepName } from '../../routers/schemas/states.ts';
import { AppError } from '../lib/errors.ts';
import { notPublished, otherFiles } from '../publishing/platforms/by-hand.ts';
import { endedThere, type PlatformFailure, platformError } from '../publishing/platforms/failures.ts';
import { outOfTime } from '../publishing/publication/release-time.ts';
import { mismatch } from '../publishing/publication/verification/compare-answers.ts';
import { privateKeyRefusal } from '../publishing/uploads/index.ts';
import { SITE_URL } from './cast.ts';

export type ReleaseFailure = {
  id: string;
  step: ReleaseStepName;
  error: AppError;
  /** The step is tried again automatically, and goes on. */
  isPassing?: boolean;
  /** True for a wrong answer of the address that a person enters after publishing by hand: it is checked again. */
  isOfAddress?: boolean;
};

const SENDING: readonly PlatformFailure[] = [
  ...(['credentials_invalid', 'permission_missing', 'payment_required', 'plan_limit', 'name_taken'] as const),
  ...(['quota_exhausted', 'content_refused', 'platform_place_gone'] as const),
];
const PASSING: readonly PlatformFailure[] = ['rate_limited', 'platform_down'];

const RAW = 'This answer is simulated: nobody was asked.';
const RETRY_AFTER_MS = 30_000;
const PAGE = '/index.html';

/** Returns the possible failures of a release there: each error is made where the real one is. */
export function releaseFailures(platform: SimulatedPlatform, title: string): ReleaseFailure[] {
  return [
    ...preparing(platform, title),
    ...(PLATFORMS[platform].isServedHere === true
      ? []
      : isByHand(platform)
        ? byHand(platform, title)
        : atPlatform(platform, title)),
    failed('verifying', 'bytes', mismatch(SITE_URL + PAGE, { statuses: [200] }, { status: 200 })),
    failed('verifying', 'missing', mismatch(SITE_URL + PAGE, { statuses: [200] }, { status: 404 })),
  ];
}

function failed(step: ReleaseStepName, what: string, error: AppError): ReleaseFailure {
  return { id: `${step}.${what}`, step, error };
}

function preparing(platform: SimulatedPlatform, title: string): ReleaseFailure[] {
  const key = failed('preparing', 'private_key', privateKeyRefusal('keys/server.pem'));
  const capabilities = PLATFORM_CAPABILITIES[platform];
  const { maxFileBytes, maxTotalBytes } = capabilities?.limits ?? {};
  const tooMuch = maxFileBytes ?? maxTotalBytes;
  if (capabilities === undefined || tooMuch === undefined) return [key];
  const refusal = refusalByLimits(capabilities, title, [{ path: 'films/harbour.mp4', sizeBytes: tooMuch * 2 }]);
  if (refusal === null) return [key];
  const { message, hint } = refusal;
  return [key, failed('preparing', 'too_large', new AppError('content_refused', message, { hint }))];
}

/** Returns whether a person publishes there by hand. */
export function isByHand(platform: SimulatedPlatform): boolean {
  return PLATFORM_CAPABILITIES[platform]?.publish === 'handOff';
}

function byHand(platform: SimulatedPlatform, title: string): ReleaseFailure[] {
  const atAddress = (what: string, text: string): ReleaseFailure => ({
    ...failed('processing', what, new AppError('out_of_sync', `${text}.`)),
    isOfAddress: true,
  });
  return [
    atAddress('not_published', notPublished(SITE_URL, 404)),
    atAddress('other_files', otherFiles(SITE_URL)),
    tooSlow(platform, title),
  ];
}

function tooSlow(platform: SimulatedPlatform, title: string): ReleaseFailure {
  const releaseMs = PLATFORM_CAPABILITIES[platform]?.limits.releaseMs ?? 0;
  return failed('processing', 'too_slow', outOfTime({ title }, releaseMs));
}

function atPlatform(platform: SimulatedPlatform, title: string): ReleaseFailure[] {
  return [
    ...SENDING.map((word) => failed('uploading', word, platformError(word, title, { raw: RAW }))),
    ...PASSING.map((word) => ({
      ...failed('uploading', word, platformError(word, title, { raw: RAW, retryAfterMs: RETRY_AFTER_MS })),
      isPassing: true,
    })),
    failed('processing', 'failed', endedThere(title, { state: 'failed', text: 'its build ended with an error' })),
    failed('processing', 'cancelled', endedThere(title, { state: 'cancelled', text: null })),
    tooSlow(platform, title),
  ];
}
