import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { Release, ReleaseStep } from '../../../routers/schemas/releases.ts';
import type { ReleaseState } from '../../../routers/schemas/state-names.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import type { ReleaseStepName } from '../../../routers/schemas/states.ts';
import { formatDuration, formatSize, formatSizeOf } from '../../lib/format.ts';
import { isRollingBack } from '../../lib/roll-back.ts';
import { lacksFiles } from '../../lib/waiting.ts';

/** Returns `118 of 214 files` and `5.1 of 8.4 MB`; null when the step does not count. */
export function stepProgress(step: Pick<ReleaseStep, 'done' | 'total' | 'doneBytes' | 'totalBytes'>): {
  files: string;
  bytes: string | null;
  fraction: number;
} | null {
  if (step.total === 0) return null;
  const byBytes = step.totalBytes > 0;
  return {
    files: `${step.done.toLocaleString('en')} of ${formatCount(step.total, 'file')}`,
    bytes: byBytes ? formatSizeOf(step.doneBytes, step.totalBytes) : null,
    fraction: byBytes ? step.doneBytes / step.totalBytes : step.done / step.total,
  };
}

/** Returns the result of a finished step in one line; null when its title says it all. */
export function stepResult({
  name,
  total,
  totalBytes,
  doneBefore,
  doneBytesBefore,
}: Pick<ReleaseStep, 'name' | 'total' | 'totalBytes' | 'doneBefore' | 'doneBytesBefore'>): string | null {
  if (total === 0) return null;
  if (name === 'verifying') return formatCount(total, 'file matches your upload', 'files match your upload');
  if (doneBefore !== null) return sentText(total - doneBefore, totalBytes - (doneBytesBefore ?? 0), doneBefore);
  const counted = formatCount(total, 'file');
  // Nobody knows any more how many of them were there before.
  const files = name === 'uploading' ? `${counted} in place` : counted;
  return totalBytes > 0 ? `${files}, ${formatSize(totalBytes)}` : files;
}

/** Returns a text like `1 of 214 files sent, 9 KB`: the others were there already. */
export function sentText(sentFiles: number, sentBytes: number, filesThere: number): string {
  if (sentFiles === 0) return 'Every file was there already';
  const part = filesThere === 0 ? '' : `${sentFiles.toLocaleString('en')} of `;
  return `${part}${formatCount(sentFiles + filesThere, 'file')} sent, ${formatSize(sentBytes)}`;
}

/** Returns the duration of a step or a release so far; null before it started. */
export function tookText(startedAt: Date | null, endedAt: Date | null, now: Date): string | null {
  if (startedAt === null) return null;
  return formatDuration((endedAt ?? now).getTime() - startedAt.getTime());
}

/** Returns the step in which a failed release stopped; null when it stopped between steps. */
export function failedStep(steps: readonly Pick<ReleaseStep, 'name' | 'state'>[]): ReleaseStepName | null {
  return steps.find(({ state }) => state === 'failed')?.name ?? null;
}

export const SOURCE_LABELS: Record<Release['source'], string> = {
  folder: 'Folder',
  zip: 'ZIP',
  retry: 'Try again',
  editor: 'Editor',
};

/** Returns the release that keeps serving whatever happens to another. */
export function servingText(servingNumber: number | null): string {
  return servingNumber === null ? 'Nothing was live before.' : `Release ${servingNumber} is still live.`;
}

/** Returns the toast after a cancellation: the files are given back, and the live site was not touched. */
export function cancelledToast(
  servingNumber: number | null,
  isGivenBack = true,
): { title: string; description: string } {
  const what = servingNumber === null ? 'Nothing was published.' : `Release ${servingNumber} stays live.`;
  return { title: 'Cancelled', description: isGivenBack ? `${what} Your files are still chosen.` : what };
}

export function isCancellable(release: { state: ReleaseState; finishedAt: Date | null }): boolean {
  return isRunningReleaseState(release.state) && !isRollingBack(release);
}

/** Returns whether "Try again" can make a new release of the same files. */
export function isRetryable({ state }: { state: ReleaseState }): boolean {
  return state === 'failed' || state === 'cancelled';
}

/** Counts the files of its start page that visitors do not get at its platforms. */
export function missingFiles({ destinations }: Pick<Release, 'destinations'>): number {
  return destinations.flatMap(({ missingLinks }) => missingLinks).length;
}

/** Returns whether visitors of the release, at any of its platforms, do not get its page with all its files. */
export function lacksStartFiles(release: Pick<Release, 'hasStartPage' | 'needsBuild' | 'destinations'>): boolean {
  return lacksFiles(release, missingFiles(release));
}

/** Returns whether it has an address of its own that answers. */
export function wasSeenLive({ state }: { state: ReleaseState }): boolean {
  return state === 'live' || state === 'superseded';
}

export function isFinal(state: ReleaseState): boolean {
  return state === 'live' || state === 'failed' || state === 'cancelled' || state === 'superseded';
}

/** Returns the title of the differences of a release from an older one; null: there is none to compare with. */
export function differenceTitle(number: number, olderNumber: number | null): string {
  return olderNumber === null ? 'Files' : `Changes from release ${olderNumber} to ${number}`;
}
