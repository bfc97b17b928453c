import { formatCount } from '../format-count.ts';
import type { PlatformCapabilities } from './capabilities/platform-capabilities.ts';

export type LimitRefusal = { message: string; hint: string };

type SizedFile = { path: string; sizeBytes: number };

/**
 * What of these files is more than the platform takes, by its published limits; null where nothing is. The browser asks
 * before anything is sent, and the server once more before it asks the platform for anything.
 */
export function refusalByLimits(
  { limits, refusedNames }: Pick<PlatformCapabilities, 'limits' | 'refusedNames'>,
  title: string,
  files: readonly SizedFile[],
): LimitRefusal | null {
  const { maxFiles, maxFileBytes, maxTotalBytes } = limits;
  for (const { path, sizeBytes } of files) {
    if (maxFileBytes !== undefined && sizeBytes > maxFileBytes) {
      const sizes = `it has ${inMegabytes(sizeBytes)}, and ${inMegabytes(maxFileBytes)} are allowed`;
      return refusal(`${title} does not take ${path}: ${sizes}.`, 'Make the file smaller or leave it out.');
    }
    if (refusedNames?.test(path)) {
      const why = 'the name has a character that is not allowed';
      return refusal(`${title} does not take ${path}: ${why}.`, 'Rename the file.');
    }
  }
  if (maxFiles !== undefined && files.length > maxFiles) {
    return refusal(
      `${title} takes ${formatCount(maxFiles, 'file')} at most; there are ${files.length.toLocaleString('en')}.`,
      'Publish fewer files.',
    );
  }
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (maxTotalBytes !== undefined && totalBytes > maxTotalBytes) {
    const sizes = `${inMegabytes(maxTotalBytes)} at most; there are ${inMegabytes(totalBytes)}`;
    return refusal(`${title} takes ${sizes}.`, 'Publish fewer or smaller files.');
  }
  return null;
}

function refusal(message: string, remedy: string): LimitRefusal {
  return { message, hint: `${remedy} The built-in host has wider limits.` };
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toLocaleString('en-US', { maximumFractionDigits: 2 })} MB`;
}
