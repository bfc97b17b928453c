import { structuredPatch } from 'diff';

/** A line of either text; `number` counts in its own text, from 1. */
export type ComparedLine = { kind: 'same' | 'added' | 'removed'; number: number; text: string };
/** Adjacent lines, with some unchanged ones around the changes. */
export type Hunk = { start: number; lines: readonly ComparedLine[] };

/** The browser draws nothing else meanwhile. */
const PATIENCE_MS = 300;
/** With more changed lines, nobody reads a file line by line. */
const DIFFERING_MAX = 4_000;
/** A line that no person has written is cut. */
const SHOWN_LENGTH = 400;

/** Returns the differences of two texts, line by line; null when there are too many to find them in time. */
export function compareLines(before: string, after: string): Hunk[] | null {
  const limits = { context: 3, timeout: PATIENCE_MS, maxEditLength: DIFFERING_MAX };
  const patch = structuredPatch('', '', before, after, '', '', limits);
  return (
    patch?.hunks.map(({ oldStart, newStart, lines }) => ({
      start: newStart,
      lines: numbered(lines, oldStart, newStart),
    })) ?? null
  );
}

function numbered(lines: readonly string[], oldStart: number, newStart: number): ComparedLine[] {
  let inOld = oldStart;
  let inNew = newStart;
  return lines.flatMap((line): ComparedLine[] => {
    const text = line.length > SHOWN_LENGTH ? `${line.slice(1, SHOWN_LENGTH)}…` : line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'added', number: inNew++, text }];
    if (line.startsWith('-')) return [{ kind: 'removed', number: inOld++, text }];
    // "No newline at end of file" is no line of either.
    if (line.startsWith('\\')) return [];
    inOld += 1;
    return [{ kind: 'same', number: inNew++, text }];
  });
}
