import { type ReadUploadOptions, readUpload, type UploadReading } from '../../routers/schemas/upload-rules.ts';
import { isZip, type OfferedPick, type Picked, picksOf } from './upload-picks.ts';

/** The rules of an upload, applied to what a person picked: as the server will apply them. */
export function readPicked(picked: Picked, options: ReadUploadOptions): UploadReading<OfferedPick> {
  const offered: OfferedPick[] = isZip(picked)
    ? picked.entries.map((source) => ({ path: source.path, sizeBytes: source.sizeBytes, source }))
    : picked.files.map((source) => ({ path: source.path, sizeBytes: source.file.size, source }));
  return readUpload(offered, options);
}

/** What is published of it: the files under their final paths, without what is left out. */
export function publishedPicks(picked: Picked, publishAnyway: readonly string[]): Picked {
  return picksOf(picked, readPicked(picked, { publishAnyway, takesRootOff: true }).files);
}
