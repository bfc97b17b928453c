import { isOsJunk, leftOutRule } from '../../routers/rules/uploads/left-out-files.ts';
import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../routers/rules/uploads/private-keys.ts';
import { normalisePath } from '../../routers/schemas/normal-form.ts';
import { isZip, type SelectedFile, type Selection, type ZippedFile } from './selection.ts';

type Item = { path: string; source: SelectedFile | ZippedFile };

/** What a file is stays true while it is the same, under whichever path. */
const known = new WeakMap<object, boolean>();
const UNREAD = new Uint8Array();

const identityOf = ({ source }: Item): object => ('file' in source ? source.file : source.unpack);

/** Reads what may be a private key of a selection, so that the rules can be applied to it. */
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

/** What nobody has read yet is judged by its name. */
export function isKnownPrivateKey(item: Item): boolean {
  return known.get(identityOf(item)) ?? isPrivateKey(item.path, UNREAD);
}

/** Returns what is stored of a file: of one that is never published its name, or a line that says what it is. */
export function fileToStore(selected: SelectedFile): File {
  const { file } = selected;
  const path = normalisePath(selected.path);
  if (isOsJunk(path) || leftOutRule(path)?.isPublishable === false) return new File([], file.name);
  if (!mayBePrivateKey(path) || !isKnownPrivateKey({ path, source: selected })) return file;
  return new File(isPrivateKey(path, UNREAD) ? [] : ['-----BEGIN PRIVATE KEY-----'], file.name);
}
