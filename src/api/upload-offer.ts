import { type ReadUploadOptions, readUpload, type UploadReading } from '../../routers/schemas/upload-rules.ts';
import { isZip, type PackedFile, type Picked, type PickedFile } from './upload-folder.ts';

/** A file as it was picked, under the path that it is published with. */
export type OfferedPick = { path: string; sizeBytes: number; source: PickedFile | PackedFile };

/** The rules of an upload, applied to what a person picked: as the server will apply them. */
export function readPicked(picked: Picked, options: ReadUploadOptions): UploadReading<OfferedPick> {
  const offered: OfferedPick[] = isZip(picked)
    ? picked.entries.map((source) => ({ path: source.path, sizeBytes: source.sizeBytes, source }))
    : picked.files.map((source) => ({ path: source.path, sizeBytes: source.file.size, source }));
  return readUpload(offered, options);
}

/** The same folder or ZIP with these of its files, under these paths. */
export function picksOf(picked: Picked, offered: readonly OfferedPick[]): Picked {
  if (!isZip(picked)) {
    const files = offered.flatMap(({ path, source }) => ('file' in source ? [{ path, file: source.file }] : []));
    return { name: picked.name, files };
  }
  const entries = offered.flatMap(({ path, source }) => ('unpack' in source ? [{ ...source, path }] : []));
  return { ...picked, entries };
}

/** What is published of it: the files under their final paths, without what is left out. */
export function publishedPicks(picked: Picked, publishAnyway: readonly string[]): Picked {
  return picksOf(picked, readPicked(picked, { publishAnyway, takesRootOff: true }).files);
}

/** One folder inside, as if it had been picked in the place of the whole. `folder` is named below the single root. */
export function picksWithin(picked: Picked, folder: string, files: readonly OfferedPick[]): Picked {
  const prefix = `${folder}/`;
  const inside = files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  const picks = picksOf(picked, inside);
  return isZip(picks) ? { ...picks, within: folder } : picks;
}
