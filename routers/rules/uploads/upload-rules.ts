import { atOnce } from '../../schemas/at-once.ts';
import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { type NameNotice, nameNoticeSteps } from '../../schemas/name-notices.ts';
import { NORMALISED_MAX, normalisedPaths } from '../../schemas/normal-form.ts';
import { fullestFolders, largestFiles } from '../../schemas/platforms/limits.ts';
import type { ZipEncoding } from '../../schemas/zip-encoding-names.ts';
import { isOsJunk, LINK_LEFT_OUT, leftOutPart, leftOutRule } from './left-out-files.ts';
import { mayBePrivateKey } from './private-keys.ts';
import { isHiddenPath, isServedPath } from './served-path.ts';

/**
 * The rules for the content of a folder, a ZIP or a manifest. They are pure functions of names and sizes: the browser
 * runs them on a drop, and the server again on the upload. Names are only data: no name of an upload ever becomes a
 * path on disk. Odd names of real tools (`[...slug].html`, `+page.svelte`, `100%.html`, emoji) are allowed.
 */
export type OfferedFile = {
  path: string;
  sizeBytes: number;
  /** The guessed encoding of a ZIP entry's name, if it had to be guessed. */
  encoding?: ZipEncoding | null;
  /** A ZIP may hold symbolic links. */
  isLink?: boolean;
  /** True when a backslash in its name became a slash; for a ZIP that has happened before (zip-names.ts). */
  hadBackslash?: boolean;
};

export const REFUSAL_SENTENCES = {
  no_files: 'There are no files to publish.',
  too_many_files: `There are more than ${UPLOAD_LIMITS.maxFiles / 1_000},000 files.`,
  file_too_large: `This file is larger than ${UPLOAD_LIMITS.maxFileBytes / 1024 ** 2} MB.`,
  release_too_large: `All files together are larger than ${UPLOAD_LIMITS.maxReleaseBytes / 1024 ** 3} GB.`,
  empty_name: 'A file has no name.',
  not_unicode: 'This name is not valid text.',
  control_character: 'This name holds a character that cannot be seen, such as a line break.',
  bidi_mark: 'This name holds a mark that reverses the direction of the text, which hides what the name really is.',
  invisible_character: 'A part of this name cannot be seen, or holds a mark that cannot be seen.',
  absolute_path: 'This name starts at the root of a disk.',
  drive_letter: 'This name starts with a drive letter.',
  parent_folder: 'This name leads out of the folder ("..").',
  dot_folder: 'This name holds a "." where a folder should be named.',
  empty_folder_name: 'This name has two slashes in a row, or ends with one.',
  segment_too_long: `A part of this name is longer than ${UPLOAD_LIMITS.maxSegmentBytes} bytes.`,
  path_too_long: `This name is longer than ${UPLOAD_LIMITS.maxPathBytes} bytes with its folders.`,
  too_deep: `This file lies more than ${UPLOAD_LIMITS.maxDepth} folders deep.`,
  duplicate: 'Two files have this same name.',
  file_and_folder: 'This name is a file and a folder at once.',
  private_key: 'Probably a private key. It cannot be published.',
  symbolic_link: 'This name is a symbolic link and a folder at once.',
  size_conflict: 'Two entries have the same content hash but different sizes.',
  size_differs: 'The size of this file is not the one given in the list of files.',
} as const satisfies Record<string, string>;

export type RefusalReason = keyof typeof REFUSAL_SENTENCES;
export type Refusal = { reason: RefusalReason; path: string; message: string };

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

/** U+2028 and U+2029 break lines as CR and LF do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Matches zero-width and soft marks, byte order marks, and modifiers of the character before them. */
const WITHOUT_PICTURE = /\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/u;
/** Joiners, selectors and tags: emoji and many scripts need them. */
const CHANGING = /\p{Variation_Selector}|\u200c|\u200d|[\u{e0020}-\u{e007f}]/u;
/** Only these characters can be changed by joiners and selectors: none of Latin, apart from emoji. */
const isChangeable = (sign: string): boolean => sign >= '\u0300' || /[#*0-9©®]/.test(sign);
/** U+2800 is the cell of Braille without a dot. */
const BLANK = /^[\s\u2800]+$/;
const LONE_SURROGATE = /\p{Cs}/u;

/** Returns the first rule that a normalised path breaks, or null. */
export function pathRefusal(path: string): RefusalReason | null {
  if (path === '') return 'empty_name';
  if (path.length > NORMALISED_MAX) return 'path_too_long';
  if (LONE_SURROGATE.test(path)) return 'not_unicode';
  if (CONTROL.test(path)) return 'control_character';
  if (BIDI.test(path)) return 'bidi_mark';
  if (hidesMark(path)) return 'invisible_character';
  if (path.startsWith('/')) return 'absolute_path';
  if (/^[a-z]:/i.test(path)) return 'drive_letter';
  if (byteLength(path) > UPLOAD_LIMITS.maxPathBytes) return 'path_too_long';
  const segments = path.split('/');
  if (segments.length > UPLOAD_LIMITS.maxDepth) return 'too_deep';
  for (const segment of segments) {
    const reason = segmentRefusal(segment);
    if (reason !== null) return reason;
  }
  return null;
}

/** Returns whether an invisible mark makes the name differ from the one that people read. */
function hidesMark(path: string): boolean {
  if (!WITHOUT_PICTURE.test(path)) return false;
  let before = '/';
  for (const sign of path) {
    const isFine = !WITHOUT_PICTURE.test(sign) || (CHANGING.test(sign) && isChangeable(before));
    if (!isFine) return true;
    before = sign;
  }
  return false;
}

function segmentRefusal(segment: string): RefusalReason | null {
  if (segment === '') return 'empty_folder_name';
  if (BLANK.test(segment)) return 'invisible_character';
  // Windows drops spaces at the end of a name: `.. ` is another spelling of `..`.
  const name = segment.replaceAll(' ', '');
  if (name === '.') return 'dot_folder';
  if (name === '..') return 'parent_folder';
  if (byteLength(segment) > UPLOAD_LIMITS.maxSegmentBytes) return 'segment_too_long';
  return null;
}

/** Returns a path for a sentence or a header: invisible characters become `\u{…}`. */
export function visiblePath(path: string): string {
  return path.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (mark) => `\\u{${mark.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

/** The longest path in a sentence. */
const SENTENCE_PATH_LENGTH = 120;

/** Returns the sentence of a refusal, which begins with its path; a long one is cut. */
export function refusalSentence({ path, message }: Pick<Refusal, 'path' | 'message'>): string {
  if (path === '') return message;
  const characters = [...path];
  const isLong = characters.length > SENTENCE_PATH_LENGTH;
  return `${isLong ? `${characters.slice(0, SENTENCE_PATH_LENGTH).join('')}…` : path}: ${message}`;
}

/** GitHub Pages reads it and everybody else ignores it: visitors do not need it. */
const NOT_MISSED = /(?:^|\/)\.nojekyll$/;

export type UploadReading<File extends OfferedFile> = {
  /** The files to publish, under their final paths. */
  files: File[];
  leftOut: { path: string; reason: string; isPublishable: boolean }[];
  /** Files of the operating system that were dropped. */
  droppedCount: number;
  /** The single folder around everything, which was removed. */
  root: string | null;
  totalBytes: number;
  /** Notices about names that are published unchanged. */
  notices: NameNotice[];
  /** The first rule that the upload as a whole breaks; it is refused entirely then. */
  refusal: Refusal | null;
};

/** Judging this many takes about a millisecond. */
const FILES_A_STEP = 200;

export type ReadUploadOptions = {
  /** Files, and folders that would be left out as a whole. */
  publishAnyway?: readonly string[] | undefined;
  /** True for a person's drop: a folder's own name and a ZIP's single root are no part of the site. */
  takesRootOff?: boolean;
};

/**
 * Applies every rule to the offered files, in one order for browser and server: OS junk dropped, single root removed,
 * names checked, secrets left out, then collisions and limits of the rest.
 */
export function readUpload<File extends OfferedFile>(
  offered: readonly File[],
  options: ReadUploadOptions = {},
): UploadReading<File> {
  return atOnce(uploadReadingSteps(offered, options));
}

/** Does the same with a pause after every few files, for a server with other calls (server/lib/time-slices.ts). */
export function* uploadReadingSteps<File extends OfferedFile>(
  offered: readonly File[],
  options: ReadUploadOptions = {},
): Generator<void, UploadReading<File>> {
  const paths = yield* normalisedPaths(offered.map(({ path }) => path));
  const named = offered.map((file, index) => ({
    ...file,
    path: paths[index] ?? file.path,
    ...(file.path.includes('\\') && { hadBackslash: true }),
  }));
  const wanted = named.filter((file) => !isOsJunk(file.path));
  const root = options.takesRootOff === true ? singleRoot(wanted) : null;
  const rooted = root === null ? wanted : wanted.map((file) => ({ ...file, path: file.path.slice(root.length + 1) }));
  const anyway = new Set(yield* normalisedPaths(options.publishAnyway ?? []));

  const reading: UploadReading<File> = {
    files: [],
    leftOut: [],
    droppedCount: named.length - wanted.length,
    root,
    totalBytes: 0,
    notices: [],
    refusal: null,
  };
  for (const [index, file] of rooted.entries()) {
    if (index % FILES_A_STEP === 0) yield;
    const reason = pathRefusal(file.path);
    if (reason !== null) return { ...reading, refusal: refuse(reason, file.path) };
    const rule = file.isLink === true ? LINK_LEFT_OUT : leftOutRule(file.path);
    const isWanted = rule?.isPublishable === true && (anyway.has(file.path) || anyway.has(leftOutPart(file.path)));
    if (rule !== null && !isWanted) {
      reading.leftOut.push({ path: file.path, reason: rule.reason, isPublishable: rule.isPublishable });
      continue;
    }
    reading.files.push(file);
    reading.totalBytes += file.sizeBytes;
  }
  const links = named.filter(({ isLink }) => isLink === true);
  const refusal = linkAsFolder(links, named) ?? (yield* collision(reading.files)) ?? overLimit(reading);
  const published = new Set(reading.files.map(({ path }) => path));
  const isServed = (path: string): boolean =>
    !isHiddenPath(path) || NOT_MISSED.test(path) || isServedPath(path, published);
  return { ...reading, notices: yield* nameNoticeSteps(reading.files, isServed), refusal };
}

/** Leaves the private keys out of a reading; `isKey` decides for files whose content matters (private-keys.ts). */
export function withoutPrivateKeys<File extends OfferedFile>(
  reading: UploadReading<File>,
  isKey: (file: File) => boolean,
): UploadReading<File> {
  const keys = new Set(reading.files.filter((file) => mayBePrivateKey(file.path) && isKey(file)));
  if (keys.size === 0 || reading.refusal !== null) return reading;
  const files = reading.files.filter((file) => !keys.has(file));
  const reason = REFUSAL_SENTENCES.private_key;
  return {
    ...reading,
    files,
    leftOut: [...reading.leftOut, ...[...keys].map(({ path }) => ({ path, reason, isPublishable: false }))],
    totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    refusal: files.length === 0 ? refuse('no_files', '') : null,
  };
}

/** The longest path in an answer; a hostile name may have 64 KB. */
export const SHOWN_PATH_LENGTH = 600;

/** `where`: a sentence about where most of too much is. */
function refuse(reason: RefusalReason, path: string, where = ''): Refusal {
  const message = `${REFUSAL_SENTENCES[reason]} ${where}`.trimEnd();
  return { reason, path: visiblePath(path).slice(0, SHOWN_PATH_LENGTH), message };
}

/** Returns the single folder around everything, or null. */
function singleRoot(files: readonly OfferedFile[]): string | null {
  const first = files[0]?.path ?? '';
  const root = first.slice(0, first.indexOf('/'));
  // A root that breaks a rule stays, so that the rule is reported: `C:` is the letter of a drive.
  if (!first.includes('/') || pathRefusal(root) !== null) return null;
  return files.every((file) => file.path.startsWith(`${root}/`)) ? root : null;
}

/** Refuses a link whose name another entry shares or passes through: two programs would unpack different things. */
function linkAsFolder(links: readonly OfferedFile[], files: readonly OfferedFile[]): Refusal | null {
  if (links.length === 0) return null;
  const paths = new Set(links.map(({ path }) => path.toLowerCase()));
  if (paths.size < links.length) return refuse('duplicate', links[0]?.path ?? '');
  for (const { path, isLink } of files) {
    const folded = path.toLowerCase();
    if (isLink !== true && paths.has(folded)) return refuse('duplicate', path);
    for (let slash = folded.lastIndexOf('/'); slash > 0; slash = folded.lastIndexOf('/', slash - 1)) {
      if (paths.has(folded.slice(0, slash))) return refuse('symbolic_link', path.slice(0, slash));
    }
  }
  return null;
}

/** Finds two equal names, and a name that is a file and a folder. */
function* collision(files: readonly OfferedFile[]): Generator<void, Refusal | null> {
  const paths = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    if (index % FILES_A_STEP === 0) yield;
    if (paths.has(path)) return refuse('duplicate', path);
    paths.add(path);
  }
  const seen = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    if (index % FILES_A_STEP === 0) yield;
    // It walks from the inside out, up to the first folder of another file: those above it have been checked.
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (seen.has(folder)) break;
      seen.add(folder);
      if (paths.has(folder)) return refuse('file_and_folder', folder);
    }
  }
  return null;
}

function overLimit({ files, totalBytes }: { files: readonly OfferedFile[]; totalBytes: number }): Refusal | null {
  const { maxFiles, maxFileBytes, maxReleaseBytes } = UPLOAD_LIMITS;
  if (files.length === 0) return refuse('no_files', '');
  if (files.length > maxFiles) return refuse('too_many_files', '', fullestFolders(files));
  const large = files.find((file) => file.sizeBytes > maxFileBytes);
  if (large !== undefined) return refuse('file_too_large', large.path);
  return totalBytes > maxReleaseBytes ? refuse('release_too_large', '', largestFiles(files, maxReleaseBytes)) : null;
}
