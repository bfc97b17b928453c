import type { ZipEncoding } from '../../routers/schemas/zip-encoding-names.ts';

/** One file of a folder: `path` is below the folder's own name, with `/` between its parts. */
export type SelectedFile = {
  path: string;
  file: File;
  /** What a ZIP said of it, where this is a copy of one of its files. */
  isLink?: boolean;
  encoding?: ZipEncoding | null;
};
/** A folder that a person dropped or chose. `name` is empty when loose files were dropped. */
export type SelectedFolder = {
  name: string;
  files: SelectedFile[];
  /** It is a copy in which so many links were written without their first slash (relative-links.ts). */
  relativeLinks?: number;
};
/** A file inside a ZIP. `unpack` reads it anew each time and checks it against what the ZIP says of it. */
export type ZippedFile = {
  path: string;
  sizeBytes: number;
  /** What the name was guessed to be in; null where there was nothing to guess. */
  encoding: ZipEncoding | null;
  isLink: boolean;
  unpack(): Promise<File>;
};
/**
 * A ZIP that was dropped or chosen, with what its directory lists. `within` is the one folder of it that is wanted, under
 * which `entries` have their paths; empty for the whole.
 */
export type SelectedZip = { name: string; zip: File; within: string; entries: ZippedFile[] };
/** What a person selected; select.ts reads it. */
export type Selection = SelectedFolder | SelectedZip;
/** How many files and bytes a selection has; those of a ZIP count unpacked. */
export type Extent = { fileCount: number; totalBytes: number };

/** Far above what a release may hold: a drop of a whole disk ends here instead of in the browser's memory. */
export const SELECTION_FILES_MAX = 100_000;

/** Says in a sentence for a person why what was dropped can be read neither as a folder nor as a ZIP. */
export class SelectionUnreadable extends Error {
  override name = 'SelectionUnreadable';
}

export function isZip(selection: Selection): selection is SelectedZip {
  return 'zip' in selection;
}

/** Answers the name of a selection on a screen; loose files have none of their own. */
export function selectionTitle({ name }: Selection): string {
  return name === '' ? 'Dropped files' : name;
}

/** Answers the noun for a selection in a sentence. */
export function selectionNoun(selection: Selection): 'ZIP' | 'folder' {
  return isZip(selection) ? 'ZIP' : 'folder';
}
