import type { UploadInspection } from '../../../routers/schemas/upload-inspection.ts';
import type { UploadReading } from '../../../routers/schemas/upload-rules.ts';
import type { PickedFile, PickedFolder } from '../../api/upload-folder.ts';

type OfferedPick = PickedFile & { sizeBytes: number };

/** A folder read and understood: what would be published, and what a person should know before. */
export type FolderReport = {
  folder: PickedFolder;
  publishAnyway: readonly string[];
  reading: UploadReading<OfferedPick>;
  inspection: UploadInspection;
};

/** The folder inside that looks finished, as if it had been dropped in the place of the whole. */
export function takeBuildFolder({ folder, reading, inspection }: FolderReport): PickedFolder | null {
  const prefix = inspection.buildFolder === null ? null : `${inspection.buildFolder}/`;
  if (prefix === null || inspection.entryPage !== null) return null;
  const files = reading.files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, file }) => ({ path: path.slice(prefix.length), file }));
  return { name: folderTitle(folder), files };
}

/** What is sent: the files under their final paths, without what is left out. */
export function publishedFolder({ folder, reading }: FolderReport): PickedFolder {
  return { name: folder.name, files: reading.files.map(({ path, file }) => ({ path, file })) };
}

export function folderTitle(folder: PickedFolder): string {
  return folder.name === '' ? 'Dropped files' : folder.name;
}
