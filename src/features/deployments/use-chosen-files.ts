import { setPendingDrop, useIsRestoring, usePendingDrop } from '../../api/pending-drop.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import type { Picked } from '../../api/upload-picks.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { type FolderReport, takeBuildFolder } from './folder-report.ts';
import { useFolderReport } from './use-folder-report.ts';

/** The folder or ZIP that waits to be published, chosen here or on an earlier page, read and understood. */
export type ChosenFiles = {
  folder: Picked | null;
  /** Null while it is being read. */
  report: FolderReport | null;
  /** The finished folder inside, to be published in the place of the whole. */
  buildFolder: Picked | null;
  /** Something was chosen and is not understood yet, or is being found again after a reload. */
  isReading: boolean;
  /** What a reload lost, and has to be chosen again. */
  asked: UploadRecord | null;
  choose: (folder: Picked | null) => void;
  setPublishAnyway: (path: string, isWanted: boolean) => void;
};

export function useChosenFiles(): ChosenFiles {
  const folder = usePendingDrop();
  const asked = useAskedFor(null);
  const isRestoring = useIsRestoring();
  const { report, setPublishAnyway } = useFolderReport(folder, asked);
  return {
    folder,
    report,
    buildFolder: report === null ? null : takeBuildFolder(report),
    isReading: report === null && (isRestoring || folder !== null),
    asked,
    choose: setPendingDrop,
    setPublishAnyway,
  };
}
