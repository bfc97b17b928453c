import { formatCount } from '../format-count.ts';
import { LISTED_PATHS, type NameNotice } from '../name-notices.ts';
import { packingOf } from '../packed-files.ts';
import type { PlatformCapabilities } from './capabilities/platform-capabilities.ts';

export type PackedNotice = Pick<NameNotice, 'message' | 'hint' | 'paths'>;

/**
 * Returns the notice about compressed files that a platform sends without the header which makes browsers unpack them;
 * null when there are none.
 */
export function packedNotice(
  platforms: readonly { title: string; capabilities: Pick<PlatformCapabilities, 'serving'> | undefined }[],
  files: readonly { path: string }[],
): PackedNotice | null {
  const titles = platforms.filter(({ capabilities }) => capabilities?.serving.packedFiles === false);
  if (titles.length === 0) return null;
  const all = new Set(files.map(({ path }) => path));
  const paths = [...all].filter((path) => packingOf(path, all) !== null);
  if (paths.length === 0) return null;
  const names = new Intl.ListFormat('en').format(titles.map(({ title }) => title));
  return {
    message: `Browsers cannot read ${formatCount(paths.length, 'compressed file')} at ${names}.`,
    hint: 'The header Content-Encoding is not sent there. Build with “Decompression Fallback” in Unity, or without compression; save an .svgz as .svg. The built-in host sends the header.',
    paths: paths.slice(0, LISTED_PATHS),
  };
}
