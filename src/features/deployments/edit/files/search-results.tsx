import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../../../../../routers/schemas/format-count.ts';
import { shownFailure } from '../../../../api/shown-failure.ts';
import { useDebounced } from '../../../../lib/browser/use-debounced.ts';
import { type Draft, filesOf } from '../draft.ts';
import { fileQuery } from '../open-file.tsx';
import { type Search, searchFiles } from './search.ts';

export type SearchResultsProps = { draft: Draft; words: string; onOpen: (path: string, line: number | null) => void };

/** Shows the matches in the files of a draft, as the files were when the words were typed. */
export function SearchResults({ draft, words, onOpen }: SearchResultsProps) {
  const { search, problem } = useFileSearch(draft, useDebounced(words.trim()));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto py-1.5">
      <p role="status" className="px-3 pb-1.5 text-xs text-ink-muted tabular-nums">
        {problem ?? (search === null ? 'Searching…' : resultText(search))}
      </p>
      <ul aria-label="Matches">
        {search?.hits.map(({ path, line, text }) => (
          <li key={`${path} ${line}`}>
            <button
              type="button"
              className="flex w-full flex-col px-3 py-1.5 text-left text-sm hover:bg-surface-hover focus-visible:-outline-offset-2 touch:min-h-11 touch:justify-center"
              onClick={() => onOpen(path, line)}
            >
              <span className="w-full truncate">
                {path}
                {line !== null && <span className="text-ink-muted">, line {line}</span>}
              </span>
              {text !== '' && <span className="w-full truncate font-mono text-xs text-ink-muted">{text}</span>}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function resultText({ hits, searchedCount, fileCount, isCut, leftOutCount }: Search): string {
  if (searchedCount < fileCount && !isCut) return `Searching… ${searchedCount} of ${formatCount(fileCount, 'file')}`;
  const found = hits.length === 0 ? 'No matches' : formatCount(hits.length, 'match', 'matches');
  if (isCut) return `Only the first ${found}. Type more to narrow them down.`;
  return leftOutCount === 0
    ? found
    : `${found}. Not searched: ${formatCount(leftOutCount, 'file')}, to keep the search fast.`;
}

function useFileSearch(draft: Draft, words: string) {
  const client = useQueryClient();
  const [search, setSearch] = useState<Search | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(draft);
  latest.current = draft;

  useEffect(() => {
    let isWanted = true;
    const { releaseId } = latest.current.base;
    const run = async () => {
      const steps = searchFiles(filesOf(latest.current), words, async (content) => {
        // Typed text is another content at each key.
        if ('text' in content) return content.text;
        const { text } = await client.fetchQuery({ ...fileQuery(releaseId, content), staleTime: Infinity });
        return text;
      });
      for await (const step of steps) {
        if (!isWanted) return;
        setSearch(step);
      }
    };
    setSearch(null);
    setProblem(null);
    run().catch((cause: unknown) => {
      if (isWanted) setProblem(shownFailure('The files could not be loaded', cause)?.title ?? null);
    });
    return () => {
      isWanted = false;
    };
  }, [words, client]);
  return { search, problem };
}
