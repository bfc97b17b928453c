import { useEffect, useRef, useState } from 'react';
import type { Picked } from '../../api/upload-picks.ts';
import type { FolderReport } from './folder-report.ts';
import type { NewDeployment } from './use-new-deployment.ts';

/** Nothing was found that a person should decide before everybody sees it. */
export function isClear({ reading, inspection, asked }: FolderReport): boolean {
  return (
    reading.refusal === null &&
    reading.leftOut.length === 0 &&
    inspection.entryPage !== null &&
    inspection.problems.length === 0 &&
    asked?.isSame !== false
  );
}

/**
 * Publishes by itself what is chosen on this page, once, when nothing has to be asked. What waited from an earlier page
 * is not: nobody agreed there to publish it at once.
 */
export function useQuickPublish(making: NewDeployment): { choose: (folder: Picked) => void; goesByItself: boolean } {
  const { files, plan, blockedBecause, publish } = making;
  const { report } = files;
  const [chosen, setChosen] = useState<Picked | null>(null);
  const tried = useRef<Picked | null>(null);
  const goesByItself =
    report !== null &&
    report.folder === chosen &&
    isClear(report) &&
    blockedBecause === null &&
    plan.allowance !== undefined &&
    plan.bar === null;

  useEffect(() => {
    if (!goesByItself || tried.current === chosen) return;
    tried.current = chosen;
    publish();
  }, [goesByItself, chosen, publish]);

  return {
    choose: (folder) => {
      setChosen(folder);
      files.choose(folder);
    },
    goesByItself,
  };
}
