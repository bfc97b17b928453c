import { isOsJunk, leftOutRule } from '../../../routers/rules/uploads/left-out-files.ts';
import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../routers/rules/uploads/private-keys.ts';
import { normalisePath } from '../../../routers/schemas/normal-form.ts';
import { isZip, type SelectedFile, type Selection, type ZippedFile } from './selection.ts';

type Item = { path: string; source: SelectedFile | ZippedFile };

/** The result for a file stays true while the file is the same, under whichever path. */
const known = new WeakMap<object, boolean>();
const UNREAD = new Uint8Array();

const identityOf = ({ source }: Item): object => ('file' in source ? source.file : source.unpack);

/** Reads those files of a selection that may be private keys, so that the rules can be applied to it. */
export async function readPrivateKeys(selection: Selection): Promise<void> {
  const sources = isZip(selection) ? selection.entries : selection.files;
  for (const source of sources) {
    const item = { path: source.path, source };
    if (!mayBePrivateKey(source.path) || known.has(identityOf(item))) continue;
    const start = await startOf(source).catch(() => UNREAD);
    known.set(identityOf(item), isPrivateKey(source.path, start));
  }
}

async function startOf(source: SelectedFile | ZippedFile): Promise<Uint8Array> {
  const file = 'file' in source ? source.file : await source.unpack();
  return new Uint8Array(await file.slice(0, KEY_READ_BYTES).arrayBuffer());
}

/** Judges a file by its name until it has been read. */
export function isKnownPrivateKey(item: Item): boolean {
  return known.get(identityOf(item)) ?? isPrivateKey(item.path, UNREAD);
}

/**
 * Returns the file to store. For a file that is never published only its name is stored, or a line that identifies a
 * key.
 */
export function fileToStore(selected: SelectedFile): File {
  const { file } = selected;
  const path = normalisePath(selected.path);
  if (isOsJunk(path) || leftOutRule(path)?.isPublishable === false) return new File([], file.name);
  if (!mayBePrivateKey(path) || !isKnownPrivateKey({ path, source: selected })) return file;
  return new File(isPrivateKey(path, UNREAD) ? [] : ['-----BEGIN PRIVATE KEY-----'], file.name);
}
