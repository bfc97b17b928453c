import { formatSize } from '../lib/format.ts';

/** Shows a size like "8.4 MB", its figures as wide as the ones below them. */
export function Size({ bytes, className }: { bytes: number; className?: string | undefined }) {
  return (
    <data value={bytes} className={className ?? 'whitespace-nowrap tabular-nums'}>
      {formatSize(bytes)}
    </data>
  );
}
