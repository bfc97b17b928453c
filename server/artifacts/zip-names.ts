import { isOsJunk } from '../../routers/schemas/left-out-files.ts';
import { normalisePath } from '../../routers/schemas/normal-form.ts';
import { pathRefusal } from '../../routers/schemas/upload-rules.ts';
import { decodeUnmarked, entryPaths } from '../../routers/schemas/zip-names.ts';
import type { PlacedEntry } from './zip-local-headers.ts';
import { ZipRefusal } from './zip-refusal.ts';

/** An entry under its path: normalised, with the single root still on. A folder's ends with a slash. */
export type NamedEntry = PlacedEntry & { isFolder: boolean };

/** Reads the names, by the rules that the browser shows them by. Throws ZipRefusal. */
export function nameEntries(entries: readonly PlacedEntry[]): NamedEntry[] {
  const paths = entryPaths(entries.map((entry) => ({ kind: entry.kind, name: nameOf(entry) })));
  return entries.flatMap((entry, index) => {
    const { path = '', isFolder = false, isRoot = false } = paths[index] ?? {};
    const isEmpty = entry.sizeBytes === 0 && entry.checksum === 0;
    if (isRoot && isEmpty) return [];
    checkName(path);
    if (isFolder && !isEmpty) throw new ZipRefusal('folder_with_data', path);
    return [{ ...entry, path, isFolder }];
  });
}

function nameOf({ name, rawName, localRawName, path }: PlacedEntry): string {
  if (name !== null) return name;
  const own = decodeUnmarked(Buffer.from(rawName, 'latin1'));
  const local = decodeUnmarked(Buffer.from(localRawName, 'latin1'));
  if (normalisePath(local) !== normalisePath(own)) throw new ZipRefusal('headers_differ', path);
  return own;
}

/**
 * The rules of names on the name as it stands, before a root is taken off: `C:/x` has none. How long a path is and how
 * deep it lies is judged by what is left of it.
 */
function checkName(path: string): void {
  if (isOsJunk(path)) return;
  const name = path.endsWith('/') ? path.slice(0, -1) : path;
  const reason = pathRefusal(name);
  if (reason !== null && reason !== 'path_too_long' && reason !== 'too_deep') throw new ZipRefusal(reason, path);
}
