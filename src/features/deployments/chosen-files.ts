import type { Picked } from '../../api/upload-picks.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { type FolderReport, takeBuildFolder } from './folder-report.ts';
import { useFolderReport } from './use-folder-report.ts';

/** The folder or ZIP of a page, read and understood. */
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

export type KeptFiles = Pick<ChosenFiles, 'folder' | 'asked' | 'choose'> & { isRestoring?: boolean };

/** Reads and understands what is chosen, wherever the choice is kept. */
export function useUnderstood({ isRestoring = false, ...kept }: KeptFiles): ChosenFiles {
  const { report, setPublishAnyway } = useFolderReport(kept.folder, kept.asked);
  return {
    ...kept,
    report,
    buildFolder: report === null ? null : takeBuildFolder(report),
    isReading: report === null && (isRestoring || kept.folder !== null),
    setPublishAnyway,
  };
}
