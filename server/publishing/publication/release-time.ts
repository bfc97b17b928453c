import { formatCount } from '../../../routers/schemas/format-count.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError, JobDeferred } from '../../lib/errors.ts';
import type { Platform, PlatformCall } from '../platforms/platform.ts';
import type { ReleaseWork } from './release-work.ts';

/** Netlify takes 500 files in a minute and GitHub fewer, and a line may be as slow as 2 Mbit/s. */
const FILE_MS = 250;
const BYTES_A_MS = 250;

/** Returns the start of the release at this destination; `otherwise` in the run that begins it. */
export const begunAt = ({ published, release }: ReleaseWork, otherwise: Date): Date =>
  published.startedAt ?? release.startedAt ?? otherwise;

/**
 * Returns the time that a release may take: the platform's own time, plus the time that its files need to get there.
 */
function allowedMs({ platform, release }: Timed): number {
  const sendingMs = release.fileCount * FILE_MS + release.totalBytes / BYTES_A_MS;
  return platform.capabilities.limits.releaseMs + Math.floor(sendingMs / MINUTE_MS) * MINUTE_MS;
}

/** The time that a release has at this destination. */
export type ReleaseTime = {
  /** The call, whose signal ends running requests when the time is over. */
  call: PlatformCall;
  /** Below 0 when it is over. */
  leftMs(): number;
  /** Runs a part of the work. Throws `platform_failed` when the time is over. */
  within<T>(act: () => Promise<T>): Promise<T>;
  /** Returns the error that sends the job back to the queue, until then but not beyond the time. */
  rest(text: string, ms: number): JobDeferred;
};

/** The longest delay of Node's timers. */
const TIMER_MAX_MS = 2 ** 31 - 1;

type Timed = Pick<ReleaseWork, 'title'> & {
  platform: Pick<Platform, 'capabilities'>;
  release: Pick<ReleaseWork['release'], 'fileCount' | 'totalBytes'>;
};

/** Returns the remaining time of a release that began at `since`. */
export function timeOf(work: Timed, call: PlatformCall, since: Date): ReleaseTime {
  const ms = allowedMs(work);
  const leftMs = (): number => since.getTime() + ms - call.now().getTime();
  // One more millisecond, so that the time is over by then.
  const untilOverMs = (): number => Math.max(0, leftMs()) + 1;
  const over = AbortSignal.timeout(Math.min(untilOverMs(), TIMER_MAX_MS));
  const requireTime = (): void => {
    call.signal.throwIfAborted();
    if (leftMs() < 0 || over.aborted) throw outOfTime(work, ms);
  };
  return {
    call: { ...call, signal: AbortSignal.any([call.signal, over]) },
    leftMs,
    rest: (text, restMs) => new JobDeferred(text, Math.min(restMs, untilOverMs())),
    async within(act) {
      requireTime();
      try {
        return await act();
      } catch (error) {
        if (over.aborted) requireTime();
        throw error;
      }
    },
  };
}

export function outOfTime({ title }: Pick<Timed, 'title'>, ms: number): AppError {
  const time = ms >= 2 * DAY_MS ? formatCount(Math.floor(ms / DAY_MS), 'day') : formatCount(ms / MINUTE_MS, 'minute');
  return new AppError('platform_failed', `${title} did not finish this release within ${time}.`, {
    hint: `Try again. If it happens again, check this site at ${title}.`,
  });
}
