import { formatExactTime, formatRelativeTime } from '../lib/format.ts';
import { useNow } from './now.ts';
import { Tooltip } from './overlays/tooltip.tsx';

/** Shows a time like "2 minutes ago", with the exact time in the tooltip and for machines. */
export function Time({ at, className = '' }: { at: Date; className?: string | undefined }) {
  const now = useNow();
  return (
    <Tooltip content={formatExactTime(at)}>
      {/* Above the link that covers a row, which would take the pointer; a finger has no tooltip, and opens the row. */}
      <time dateTime={at.toISOString()} className={`pointer-fine:relative ${className}`}>
        {formatRelativeTime(at, now.getTime() < at.getTime() ? new Date() : now)}
      </time>
    </Tooltip>
  );
}
