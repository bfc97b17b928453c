import { isOsJunk } from '../../../routers/rules/uploads/left-out-files.ts';
import { pathRefusal } from '../../../routers/rules/uploads/upload-rules.ts';
import {
  decodeIn,
  type GuessedName,
  guessNames,
  type PageBytes,
  pagesToGuessBy,
} from '../../../routers/rules/zip/zip-encodings.ts';
import { entryPaths } from '../../../routers/rules/zip/zip-names.ts';
import { normalisePath } from '../../../routers/schemas/normal-form.ts';
import type { ZipEncoding } from '../../../routers/schemas/zip-encoding-names.ts';
import { makeScratch, readEntry } from './entry.ts';
import type { OpenZip } from './file.ts';
import type { PlacedEntry } from './local-headers.ts';
import { ZipRefusal } from './refusal.ts';

/** An entry under its path: normalised, with the single root still in place. A folder's path ends with a slash. */
export type NamedEntry = PlacedEntry & {
  isFolder: boolean;
  /** The guessed encoding of the name; null when there was nothing to guess. */
  encoding: ZipEncoding | null;
};

/** Reads the names by the rules by which the browser shows them. Throws ZipRefusal. */
export function nameEntries(file: OpenZip, entries: readonly PlacedEntry[]): NamedEntry[] {
  const guessed = guessedNames(file, entries);
  const named = entries.map((entry) => guessed.get(entry) ?? { name: entry.name ?? '', encoding: null });
  const paths = entryPaths(entries.map(({ kind }, index) => ({ kind, name: named[index]?.name ?? '' })));
  return entries.flatMap((entry, index) => {
    const { path = '', isFolder = false, isRoot = false } = paths[index] ?? {};
    const isEmpty = entry.sizeBytes === 0 && entry.checksum === 0;
    if (isRoot && isEmpty) return [];
    checkName(path);
    if (isFolder && !isEmpty) throw new ZipRefusal('folder_with_data', path);
    return [{ ...entry, path, isFolder, encoding: named[index]?.encoding ?? null }];
  });
}

function guessedNames(file: OpenZip, entries: readonly PlacedEntry[]): ReadonlyMap<PlacedEntry, GuessedName> {
  const unsure = entries.filter(({ name }) => name === null);
  if (unsure.length === 0) return new Map();
  const names = guessNames(
    unsure.map(({ rawName }) => bytesOf(rawName)),
    readPages(file, entries),
  );
  const guessed = new Map<PlacedEntry, GuessedName>();
  for (const [index, entry] of unsure.entries()) {
    const guess = names[index] ?? { name: '', encoding: null };
    if (entry.localRawName !== entry.rawName && !isNamed(entry.localRawName, guess)) {
      throw new ZipRefusal('headers_differ', entry.path);
    }
    guessed.set(entry, guess);
  }
  return guessed;
}

/** Unpacks the few pages whose links tell the names. Each is known to have a place of its own by now. */
function readPages(file: OpenZip, entries: readonly PlacedEntry[]): PageBytes[] {
  const scratch = makeScratch();
  return pagesToGuessBy(entries.map((entry) => ({ ...entry, rawName: bytesOf(entry.rawName), entry }))).map(
    ({ rawName, entry }) => ({ rawName, bytes: Buffer.from(readEntry(file, entry, scratch)) }),
  );
}

function isNamed(rawName: string, { name, encoding }: GuessedName): boolean {
  const other = decodeIn(encoding ?? 'utf-8', bytesOf(rawName));
  return other !== null && normalisePath(other) === normalisePath(name);
}

function bytesOf(rawName: string): Buffer {
  return Buffer.from(rawName, 'latin1');
}

/**
 * Applies the rules of names to the name before a root is taken off, because `C:/x` must not pass. Length and depth
 * are judged later, by the rest of the path.
 */
function checkName(path: string): void {
  if (isOsJunk(path)) return;
  const name = path.endsWith('/') ? path.slice(0, -1) : path;
  const reason = pathRefusal(name);
  if (reason !== null && reason !== 'path_too_long' && reason !== 'too_deep') throw new ZipRefusal(reason, path);
}
