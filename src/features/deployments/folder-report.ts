import type { UploadInspection } from '../../../routers/schemas/upload-inspection.ts';
import type { UploadReading } from '../../../routers/schemas/upload-rules.ts';
import { isZip, type OfferedPick, type Picked, picksOf, picksWithin } from '../../api/upload-picks.ts';

/** A folder or ZIP read and understood: what would be published, and what a person should know before. */
export type FolderReport = {
  folder: Picked;
  publishAnyway: readonly string[];
  reading: UploadReading<OfferedPick>;
  inspection: UploadInspection;
  /** Texts that were too many to be looked into. */
  unreadTexts: number;
  /** What a reload lost, and whether this is the same. */
  asked: { name: string; isSame: boolean } | null;
};

/** The folder inside that looks finished, as if it had been dropped in the place of the whole. */
export function takeBuildFolder({ folder, reading, inspection }: FolderReport): Picked | null {
  const { buildFolder, entryPage } = inspection;
  // Of one folder inside a ZIP there is no part again.
  if (buildFolder === null || entryPage !== null || (isZip(folder) && folder.within !== '')) return null;
  return { ...picksWithin(folder, buildFolder, reading.files), name: folderTitle(folder) };
}

/** What is sent: the files under their final paths, without what is left out. */
export function publishedFolder({ folder, reading }: FolderReport): Picked {
  return picksOf(folder, reading.files);
}

export function folderTitle(folder: Picked): string {
  return folder.name === '' ? 'Dropped files' : folder.name;
}

/** What the picked thing is called in a sentence. */
export function folderNoun(folder: Picked): 'ZIP' | 'folder' {
  return isZip(folder) ? 'ZIP' : 'folder';
}

/** Why it cannot be published as it is; what is wrong with it stands in the report. Null where nothing is. */
export function refusalText({ reading, folder }: FolderReport): string | null {
  return reading.refusal === null ? null : `The ${folderNoun(folder)} cannot be published as it is.`;
}
