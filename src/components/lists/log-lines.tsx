import { memo } from 'react';
import { LinkedText } from '../linked-text.tsx';

type LogLinesProps = { lines: readonly { at: Date; text: string }[]; formatAt: (at: Date) => string };

/** A block is only laid out near the screen: 10,000 lines cost what 400 do. */
const BLOCK_LINES = 200;
/** Equals `text-xs` with `leading-5`; a line that wraps is taller, and remembered once it was laid out. */
const LINE_PX = 20;

export function LogLines({ lines, formatAt }: LogLinesProps) {
  const blocks = Math.ceil(lines.length / BLOCK_LINES);
  return (
    <ol>
      {Array.from({ length: blocks }, (_, block) => {
        const first = block * BLOCK_LINES;
        return (
          <LogBlock
            key={first}
            lines={lines}
            first={first}
            count={Math.min(BLOCK_LINES, lines.length - first)}
            formatAt={formatAt}
          />
        );
      })}
    </ol>
  );
}

type LogBlockProps = LogLinesProps & { first: number; count: number };

const LogBlock = memo(
  function LogBlock({ lines, first, count, formatAt }: LogBlockProps) {
    return (
      <li style={{ contentVisibility: 'auto', containIntrinsicHeight: `auto ${count * LINE_PX}px` }}>
        <ol>
          {lines.slice(first, first + count).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
            <li key={first + index} className="flex gap-4 leading-5 whitespace-pre-wrap">
              <span className="shrink-0 text-ink-muted select-none">{formatAt(line.at)}</span>
              <span className="min-w-0 text-ink wrap-anywhere">
                <LinkedText text={line.text} isVerbatim />
              </span>
            </li>
          ))}
        </ol>
      </li>
    );
  },
  // Lines are only added: a full block stays the same while its first and last line do.
  (before, after) =>
    before.first === after.first &&
    before.count === after.count &&
    before.lines[before.first] === after.lines[after.first] &&
    before.lines[before.first + before.count - 1] === after.lines[after.first + after.count - 1],
);
