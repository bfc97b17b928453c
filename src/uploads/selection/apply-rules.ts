import {
  type OfferedFile,
  type ReadUploadOptions,
  readUpload,
  type UploadReading,
  withoutPrivateKeys,
} from '../../../routers/rules/uploads/upload-rules.ts';
import { normalisePath } from '../../../routers/schemas/normal-form.ts';
import { isKnownPrivateKey } from './private-keys.ts';
import { type Extent, isZip, type SelectedFile, type Selection, type ZippedFile } from './selection.ts';

/** A file of a folder or of a ZIP, under the path that it is published with. */
export type SelectionItem = OfferedFile & { source: SelectedFile | ZippedFile };

/** Applies the server's rules of an upload to a selection: which files are published, and why the others are not. */
export function applyRules(selection: Selection, options: ReadUploadOptions): UploadReading<SelectionItem> {
  return withoutPrivateKeys(readUpload(selectionItems(selection), options), isKnownPrivateKey);
}

/** Narrows a selection to its published part: the files under their final paths, without those that are left out. */
export function publishedPart(selection: Selection, publishAnyway: readonly string[]): Selection {
  return withItems(selection, applyRules(selection, { publishAnyway, takesRootOff: true }).files);
}

/**
 * Returns one folder of a selection as if it had been selected itself, including files that would be left out.
 * `folder` is named below the single root.
 */
export function innerFolder(selection: Selection, folder: string): Selection {
  const { root } = readUpload(selectionItems(selection), { takesRootOff: true });
  const prefix = root === null ? `${folder}/` : `${root}/${folder}/`;
  const inside = selectionItems(selection)
    .map((item) => ({ ...item, path: normalisePath(item.path) }))
    .filter(({ path }) => path.startsWith(prefix))
    .map((item) => ({ ...item, path: item.path.slice(prefix.length) }));
  const part = withItems(selection, inside);
  return isZip(part) ? { ...part, within: folder } : part;
}

/** Counts the files of a selection and their bytes; those of a ZIP count unpacked. */
export function extentOf(selection: Selection): Extent {
  const items = selectionItems(selection);
  return { fileCount: items.length, totalBytes: items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
}

/** Lists all selected files, under the paths that they have there. */
export function selectionItems(selection: Selection): SelectionItem[] {
  return isZip(selection)
    ? selection.entries.map((source) => ({ ...source, source }))
    : selection.files.map((source) => ({ ...source, sizeBytes: source.file.size, source }));
}

/** Narrows a folder or ZIP to these of its files, under these paths. */
function withItems(selection: Selection, items: readonly SelectionItem[]): Selection {
  if (!isZip(selection)) {
    const files = items.flatMap(({ path, source }) => ('file' in source ? [{ ...source, path }] : []));
    return { name: selection.name, files };
  }
  const entries = items.flatMap(({ path, source }) => ('unpack' in source ? [{ ...source, path }] : []));
  return { ...selection, entries };
}
