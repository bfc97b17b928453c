import { useEffect, useState } from 'react';
import type { Picked } from '../../api/upload-picks.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { useWhenIdle } from '../../lib/later.ts';
import type { FolderReport } from './folder-report.ts';
import { loadFolderSummary } from './folder-summary-later.tsx';

/** The rules come with the page at rest: nothing of them shows before a folder was dropped. */
const loadBoth = () => Promise.all([import('./inspect-folder.ts'), loadFolderSummary()]);

/**
 * The report of a folder or ZIP, and the choice of files to publish anyway; null while it is being read. `asked` is what a
 * reload lost: the report says whether this is the same.
 */
export function useFolderReport(
  folder: Picked | null,
  asked: UploadRecord | null = null,
): {
  report: FolderReport | null;
  setPublishAnyway: (path: string, isWanted: boolean) => void;
} {
  const [chosen, setChosen] = useState<{ folder: Picked | null; paths: readonly string[] }>({
    folder,
    paths: [],
  });
  const [report, setReport] = useState<FolderReport | null>(null);
  const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
  useWhenIdle(loadBoth);
  // What was chosen for one folder says nothing about the next.
  const paths = chosen.folder === folder ? chosen.paths : NONE;

  useEffect(() => {
    if (folder === null) return;
    let isCurrent = true;
    loadBoth()
      .then(([{ inspectFolder }]) => inspectFolder(folder, paths, asked))
      .then(
        (next) => isCurrent && setReport(next),
        (cause: unknown) => isCurrent && setFailure({ cause }),
      );
    return () => {
      isCurrent = false;
    };
  }, [folder, paths, asked]);

  if (failure !== null) throw failure.cause;
  return {
    report: folder !== null && report?.folder === folder ? report : null,
    setPublishAnyway: (path, isWanted) => {
      const others = paths.filter((other) => other !== path);
      setChosen({ folder, paths: isWanted ? [...others, path] : others });
    },
  };
}

const NONE: readonly string[] = [];
