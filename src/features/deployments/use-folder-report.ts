import { useEffect, useState } from 'react';
import type { PickedFolder } from '../../api/upload-folder.ts';
import { type FolderReport, inspectFolder } from './inspect-folder.ts';

/** The report of a folder, and the choice of files to publish anyway; null while it is being read. */
export function useFolderReport(folder: PickedFolder | null): {
  report: FolderReport | null;
  setPublishAnyway: (path: string, isWanted: boolean) => void;
} {
  const [chosen, setChosen] = useState<{ folder: PickedFolder | null; paths: readonly string[] }>({
    folder,
    paths: [],
  });
  const [report, setReport] = useState<FolderReport | null>(null);
  // What was chosen for one folder says nothing about the next.
  const paths = chosen.folder === folder ? chosen.paths : NONE;

  useEffect(() => {
    if (folder === null) return;
    let isCurrent = true;
    void inspectFolder(folder, paths).then((next) => {
      if (isCurrent) setReport(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [folder, paths]);

  return {
    report: folder !== null && report?.folder === folder ? report : null,
    setPublishAnyway: (path, isWanted) => {
      const others = paths.filter((other) => other !== path);
      setChosen({ folder, paths: isWanted ? [...others, path] : others });
    },
  };
}

const NONE: readonly string[] = [];
