import { useQuery } from '@tanstack/react-query';
import { shownFailure } from '../../../api/shown-failure.ts';
import { classNames } from '../../../components/class-names.ts';
import { FailedState } from '../../../components/page/failed-state.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { readText } from '../../../lib/texts.ts';
import { readFile } from '../../../uploads/release-files.ts';
import { type ComparedLine, compareLines, type Hunk } from './compare-lines.ts';

type Version = { releaseId: string; sha256: string };
export type LineDiffProps = { path: string; before: Version; after: Version };

/** The lines that are shown at first; nobody scrolls past more. */
const SHOWN_LINES = 500;

/**
 * Shows the changes of a text, line by line: both versions are loaded when it is opened, and compared in this browser.
 */
export function LineDiff({ path, before, after }: LineDiffProps) {
  const question = useQuery({
    queryKey: ['lines', before.sha256, after.sha256],
    queryFn: ({ signal }) => readLines(before, after, signal),
    // The contents of a hash never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (question.data === undefined) {
    const failure = shownFailure('The two versions could not be loaded', question.error);
    if (failure !== null) return <FailedState failure={failure} question={question} />;
    return (
      <SkeletonGroup label={`Loading the lines of ${path}`} className="flex flex-col gap-2 py-2">
        <Skeleton className="h-4 w-3/4" />
        <Skeleton className="h-4 w-1/2" />
      </SkeletonGroup>
    );
  }
  const { hunks } = question.data;
  if (typeof hunks === 'string') return <p className="py-2 text-ink-muted">{hunks}</p>;
  return <Hunks path={path} hunks={hunks} />;
}

/** Returns a sentence when there are no lines to show. */
async function readLines(before: Version, after: Version, signal: AbortSignal): Promise<{ hunks: Hunk[] | string }> {
  const [old, current] = [await readVersion(before, signal), await readVersion(after, signal)];
  if (old === null || current === null) return { hunks: 'This file is not text.' };
  const hunks = compareLines(old, current);
  if (hunks === null) return { hunks: 'Too much changed to show it line by line.' };
  return { hunks: hunks.length === 0 ? 'Only its line endings changed.' : hunks };
}

async function readVersion({ releaseId, sha256 }: Version, signal: AbortSignal): Promise<string | null> {
  return readText(await readFile(releaseId, sha256, signal));
}

function Hunks({ path, hunks }: { path: string; hunks: readonly Hunk[] }) {
  const shown = firstLines(hunks);
  const isCut = hunks.reduce((sum, { lines }) => sum + lines.length, 0) > SHOWN_LINES;
  return (
    <>
      <section
        aria-label={`Changed lines of ${path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard (WCAG 2.1.1)
        tabIndex={0}
        className="my-2 max-h-112 overflow-auto rounded-control border border-line font-mono text-xs leading-5"
      >
        {shown.map(({ start, lines }) => (
          <div key={start} className="border-t border-line first:border-t-0">
            <p className="bg-surface-sunken px-3 text-ink-muted">Line {start.toLocaleString('en')}</p>
            {lines.map((line) => (
              <Line key={`${line.kind} ${line.number}`} line={line} />
            ))}
          </div>
        ))}
      </section>
      {isCut && <p className="pb-2 text-ink-muted">The first {SHOWN_LINES} lines are shown.</p>}
    </>
  );
}

function firstLines(hunks: readonly Hunk[]): Hunk[] {
  let left = SHOWN_LINES;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    return lines.length > 0 ? [{ ...hunk, lines }] : [];
  });
}

const looks = {
  same: { look: '', sign: '', word: '' },
  added: { look: 'bg-good-soft', sign: '+', word: 'Added: ' },
  removed: { look: 'bg-bad-soft', sign: '−', word: 'Removed: ' },
} as const;

function Line({ line: { kind, number, text } }: { line: ComparedLine }) {
  const { look, sign, word } = looks[kind];
  return (
    <div className={classNames('flex', look)}>
      <span aria-hidden className="w-12 shrink-0 pr-2 text-right text-ink-muted tabular-nums select-none">
        {number}
      </span>
      <span aria-hidden className="w-5 shrink-0 text-center select-none">
        {sign}
      </span>
      <span className="pr-3 whitespace-pre-wrap wrap-anywhere">
        {word !== '' && <span className="sr-only">{word}</span>}
        {text}
      </span>
    </div>
  );
}
