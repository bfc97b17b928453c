import { atOnce } from './at-once.ts';
import { ZIP_ENCODINGS, type ZipEncoding } from './zip-encoding-names.ts';

/**
 * A notice about names that are published unchanged: pure, over paths. Every reading of an upload includes them
 * (upload-rules.ts), so that the screen and the answer of an upload agree.
 */
export type NameNotice = {
  code: NameNoticeCode;
  message: string;
  hint: string;
  /** The paths concerned, at most fifty. */
  paths: string[];
};
export const NAME_NOTICE_CODES = [
  'guessed_name',
  'backslash_name',
  'windows_name',
  'case_twin',
  'hidden_name',
] as const;
export type NameNoticeCode = (typeof NAME_NOTICE_CODES)[number];

/** A longer list helps nobody; the message has the total. */
export const LISTED_PATHS = 50;
/** Judging this many takes about a millisecond. */
const PATHS_A_STEP = 500;

/** Microsoft, "Naming Files, Paths, and Namespaces", with the superscript digits that count as well. */
const WINDOWS_DEVICE = /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.[^/]*)?(?:\/|$)/i;
const WINDOWS_SIGN = /[<>:"|?*]/;
const WINDOWS_END = /[. ](?:\/|$)/;
/** MAX_PATH of the same page, without the root of a drive and the mark at the end. */
const WINDOWS_PATH_MAX = 260 - 'C:\\'.length - 1;

/** Returns whether Windows can have a file under this path. */
function isWindowsPath(path: string): boolean {
  if (path.length > WINDOWS_PATH_MAX) return false;
  return !WINDOWS_SIGN.test(path) && !WINDOWS_END.test(path) && !WINDOWS_DEVICE.test(path);
}

const BEYOND_ASCII = /[^ -~]/;

/** Returns the notices about these paths, pausing after every few. */
export function* nameNoticeSteps(
  files: readonly { path: string; encoding?: ZipEncoding | null; hadBackslash?: boolean }[],
  isServed: (path: string) => boolean,
): Generator<void, NameNotice[]> {
  // Perhaps only the outer folder had to be guessed, which is gone.
  const guessed = files.filter(({ path, encoding = null }) => encoding !== null && BEYOND_ASCII.test(path));
  const notWindows: string[] = [];
  const hidden: string[] = [];
  for (const [index, { path }] of files.entries()) {
    if (index % PATHS_A_STEP === 0) yield;
    if (!isWindowsPath(path)) notWindows.push(path);
    if (!isServed(path)) hidden.push(path);
  }
  return [
    ...guessNotice(guessed),
    ...backslashNotice(files.filter(({ hadBackslash }) => hadBackslash === true)),
    ...windowsNotice(notWindows),
    ...twinNotice(yield* caseTwinSteps(files)),
    ...hiddenNotice(hidden),
  ];
}

/** Returns the paths that differ from another one, or from its folder, only in capital letters. */
export function caseTwins(files: readonly { path: string }[]): string[] {
  return atOnce(caseTwinSteps(files));
}

function* caseTwinSteps(files: readonly { path: string }[]): Generator<void, string[]> {
  const byFolded = new Map<string, string>();
  const twins = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    if (index % PATHS_A_STEP === 0) yield;
    const folded = path.toLowerCase();
    const other = byFolded.get(folded);
    if (other === undefined) byFolded.set(folded, path);
    else if (other !== path) twins.add(other).add(path);
  }
  for (const [index, { path }] of files.entries()) {
    if (index % PATHS_A_STEP === 0) yield;
    const file = fileAsFolder(path.toLowerCase(), byFolded);
    if (file !== undefined) twins.add(file).add(path);
  }
  return [...twins];
}

function fileAsFolder(folded: string, byFolded: ReadonlyMap<string, string>): string | undefined {
  for (let slash = folded.lastIndexOf('/'); slash > 0; slash = folded.lastIndexOf('/', slash - 1)) {
    const file = byFolded.get(folded.slice(0, slash));
    if (file !== undefined) return file;
  }
  return undefined;
}

function guessNotice(files: readonly { path: string; encoding?: ZipEncoding | null }[]): NameNotice[] {
  if (files.length === 0) return [];
  const encodings = [...new Set(files.map(({ encoding }) => ZIP_ENCODINGS[encoding ?? 'utf-8']))];
  const message = files.length === 1 ? '1 name had to be guessed.' : `${files.length} names had to be guessed.`;
  const hint = `The ZIP does not say how its names are encoded. They were read as ${encodings.join(' and ')}. If they look wrong, choose the folder instead, or create a ZIP with names in UTF-8.`;
  return [{ code: 'guessed_name', message, hint, paths: files.slice(0, LISTED_PATHS).map(({ path }) => path) }];
}

function backslashNotice(files: readonly { path: string }[]): NameNotice[] {
  if (files.length === 0) return [];
  const message = files.length === 1 ? '1 name holds a backslash.' : `${files.length} names hold a backslash.`;
  const hint = 'It was read as a slash, as on Windows: the part before it is now a folder.';
  return [{ code: 'backslash_name', message, hint, paths: files.slice(0, LISTED_PATHS).map(({ path }) => path) }];
}

function twinNotice(paths: readonly string[]): NameNotice[] {
  if (paths.length === 0) return [];
  const message = `${paths.length} names differ only in capital letters.`;
  const hint =
    'On the web each has its own address. On Windows and macOS, the ZIP download of the release unpacks to only one of them.';
  return [{ code: 'case_twin', message, hint, paths: paths.slice(0, LISTED_PATHS) }];
}

function windowsNotice(paths: readonly string[]): NameNotice[] {
  if (paths.length === 0) return [];
  const names =
    paths.length === 1 ? '1 name does not work on Windows.' : `${paths.length} names do not work on Windows.`;
  const hint = 'On the web they do. The ZIP download of the release cannot be unpacked on Windows as it is.';
  return [{ code: 'windows_name', message: names, hint, paths: paths.slice(0, LISTED_PATHS) }];
}

function hiddenNotice(paths: readonly string[]): NameNotice[] {
  if (paths.length === 0) return [];
  const message =
    paths.length === 1 ? '1 hidden file has no address.' : `${paths.length} hidden files have no address.`;
  const hint =
    'Visitors get “not found” for a name that begins with a dot, unless it is a page, a folder with an index.html, or .well-known.';
  return [{ code: 'hidden_name', message, hint, paths: paths.slice(0, LISTED_PATHS) }];
}
