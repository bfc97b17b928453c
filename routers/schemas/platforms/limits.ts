import { formatCount } from '../format-count.ts';
import { caseTwins } from '../name-notices.ts';
import type { PlatformCapabilities } from './capabilities/platform-capabilities.ts';
import { unitBaseOf } from './limit-units.ts';

export type LimitRefusal = { message: string; hint: string };

type SizedFile = { path: string; sizeBytes: number };

/**
 * Returns how these files exceed the platform's published limits; null when they do not. The browser checks before
 * anything is sent, and the server again before it calls the platform.
 */
export function refusalByLimits(
  { limits, refusedNames, foldsCase }: Pick<PlatformCapabilities, 'limits' | 'refusedNames' | 'foldsCase'>,
  title: string,
  files: readonly SizedFile[],
): LimitRefusal | null {
  const { maxFiles, maxFileBytes, maxTotalBytes } = limits;
  for (const { path, sizeBytes } of files) {
    if (maxFileBytes !== undefined && sizeBytes > maxFileBytes) {
      const sizes = `it is ${inMegabytes(sizeBytes, maxFileBytes)}, and the limit is ${inMegabytes(maxFileBytes)}`;
      return refusal(`${title} does not take ${path}: ${sizes}.`, 'Make the file smaller or leave it out.');
    }
    if (refusedNames?.test(path)) {
      const why = 'the name has a character that is not allowed';
      return refusal(`${title} does not take ${path}: ${why}.`, 'Rename the file.');
    }
  }
  const [twin, other] = foldsCase ? caseTwins(files) : [];
  if (twin !== undefined && other !== undefined) {
    const why = 'the names differ only in capital letters, and are one address there';
    return refusal(`${title} does not take both ${twin} and ${other}: ${why}.`, 'Rename one of them.');
  }
  if (maxFiles !== undefined && files.length > maxFiles) {
    return refusal(
      `${title} takes at most ${formatCount(maxFiles, 'file')}; there are ${files.length.toLocaleString('en')}.`,
      `${fullestFolders(files)} Publish fewer files.`.trimStart(),
    );
  }
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (maxTotalBytes !== undefined && totalBytes > maxTotalBytes) {
    const sizes = `at most ${inMegabytes(maxTotalBytes)}; these files are ${inMegabytes(totalBytes, maxTotalBytes)}`;
    return refusal(`${title} takes ${sizes}.`, `${largestFiles(files, maxTotalBytes)} Publish fewer or smaller files.`);
  }
  return null;
}

/** A person reads this many before deciding what to leave out. */
const NAMED_MAX = 3;
const SHOWN_NAME_LENGTH = 100;
const listed = (names: readonly string[]): string => new Intl.ListFormat('en').format(names);

/** Returns a sentence that names the folders with the most files; empty where most files are at the root. */
export function fullestFolders(files: readonly SizedFile[]): string {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const end = path.indexOf('/');
    if (end !== -1) counts.set(path.slice(0, end), (counts.get(path.slice(0, end)) ?? 0) + 1);
  }
  const fullest = [...counts].sort(([, a], [, b]) => b - a).slice(0, NAMED_MAX);
  const shown = fullest.map(([name, count]) => `${shortened(name)} (${count.toLocaleString('en')})`);
  const inFolders = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return inFolders * 2 > files.length ? `Most are in ${listed(shown)}.` : '';
}

/** Cuts a name to what a sentence can hold: a hostile one may have 64 KB. */
function shortened(name: string): string {
  return name.length > SHOWN_NAME_LENGTH ? `${name.slice(0, SHOWN_NAME_LENGTH)}…` : name;
}

/** Returns a sentence that names the largest files, in the units of the limit. */
export function largestFiles(files: readonly SizedFile[], limitBytes: number): string {
  const largest = [...files].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, NAMED_MAX);
  const named = largest.map(({ path, sizeBytes }) => `${shortened(path)} (${inMegabytes(sizeBytes, limitBytes)})`);
  return `The largest are ${listed(named)}.`;
}

function refusal(message: string, remedy: string): LimitRefusal {
  return { message, hint: `${remedy} The built-in host has wider limits.` };
}

function inMegabytes(bytes: number, limitBytes = bytes): string {
  const megabytes = bytes / unitBaseOf(limitBytes) ** 2;
  return `${megabytes.toLocaleString('en-US', { maximumFractionDigits: 2 })} MB`;
}
