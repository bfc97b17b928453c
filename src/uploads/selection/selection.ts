import type { ZipEncoding } from '../../../routers/schemas/zip-encoding-names.ts';

/** One file of a folder: `path` is below the folder's own name, with `/` between its parts. */
export type SelectedFile = {
  path: string;
  file: File;
  /** Facts from a ZIP, if this is a copy of one of its files. */
  isLink?: boolean;
  encoding?: ZipEncoding | null;
};
/** A folder that a person dropped or chose. `name` is empty when loose files were dropped. */
export type SelectedFolder = {
  name: string;
  files: SelectedFile[];
  /** The number of links that were written without their first slash, if this is such a copy (relative-links.ts). */
  relativeLinks?: number;
};
/** A file inside a ZIP. `unpack` reads it anew each time and checks it against the ZIP's directory. */
export type ZippedFile = {
  path: string;
  sizeBytes: number;
  /** The guessed encoding of the name; null when there was nothing to guess. */
  encoding: ZipEncoding | null;
  isLink: boolean;
  unpack(): Promise<File>;
};
/**
 * A ZIP that was dropped or chosen, with its directory. `within` is the one wanted folder in it, and the paths of
 * `entries` are below that; empty for the whole.
 */
export type SelectedZip = { name: string; zip: File; within: string; entries: ZippedFile[] };
/** The selection of a person; select.ts reads it. */
export type Selection = SelectedFolder | SelectedZip;
/** The number of files and bytes of a selection; those of a ZIP count unpacked. */
export type Extent = { fileCount: number; totalBytes: number };

/** Far above the limit of a release: a drop of a whole disk ends here instead of in the browser's memory. */
export const SELECTION_FILES_MAX = 100_000;

/** Explains to a person in a sentence why the dropped items can be read neither as a folder nor as a ZIP. */
export class SelectionUnreadable extends Error {
  override name = 'SelectionUnreadable';
}

export function isZip(selection: Selection): selection is SelectedZip {
  return 'zip' in selection;
}

/** Returns the name of a selection for a screen; loose files have none of their own. */
export function selectionTitle({ name }: Selection): string {
  return name === '' ? 'Dropped files' : name;
}

/** Returns the noun for a selection in a sentence. */
export function selectionNoun(selection: Selection): 'ZIP' | 'folder' {
  return isZip(selection) ? 'ZIP' : 'folder';
}
