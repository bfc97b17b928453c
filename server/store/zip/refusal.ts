import {
  REFUSAL_SENTENCES,
  type RefusalReason,
  SHOWN_PATH_LENGTH,
  visiblePath,
} from '../../../routers/rules/uploads/upload-rules.ts';
import { UPLOAD_LIMITS } from '../../../routers/schemas/limits.ts';

/** Files, the `__MACOSX` companion that macOS adds to each of them, and folders. */
export const ENTRIES_MAX = 2.5 * UPLOAD_LIMITS.maxFiles;

/**
 * Reasons to refuse a ZIP, besides the rules of names and sizes that apply to every upload (upload-rules.ts). Most of
 * them are one thing: an archive that two programs would read differently, so that the checked content would not be
 * the served one.
 */
const ZIP_SENTENCES = {
  not_zip: 'This is not a ZIP file, or its end is missing.',
  trailing_data: 'This ZIP file has extra data after its end.',
  hidden_end_record: 'This ZIP file has two ends and can be read in two ways.',
  several_parts: 'This is one part of a split ZIP file.',
  directory_corrupted: 'The list of files inside this ZIP file is damaged.',
  count_wrong: 'This ZIP file does not hold as many entries as it says.',
  too_many_entries: `This ZIP file has more than ${ENTRIES_MAX / 1_000},000 entries, including folders.`,
  prepended_data: 'This ZIP file has extra data before its first file.',
  name_not_utf8: 'This name is marked as UTF-8 but is not.',
  renamed_by_extra: 'This entry has two different names.',
  special_file: 'This is a special system file (a device or a pipe).',
  folder_with_data: 'This is a folder but has content like a file.',
  encrypted: 'This entry is encrypted.',
  method_unsupported: 'This entry uses a compression method that is not supported. Only “stored” and “deflated” are.',
  ratio_too_high: 'This is compressed so much that it can only be meant to fill a disk.',
  headers_differ: 'The header of this entry differs from the list of files at the end of the ZIP file.',
  overlap: 'The content of this entry overlaps with that of another.',
  out_of_bounds: 'The content of this entry is in a place where no content can be.',
  data_corrupted: 'The compressed content of this entry is damaged.',
  size_wrong: 'This entry is larger or smaller than the list of files says.',
  checksum_wrong: 'The content of this entry does not match its checksum.',
} as const satisfies Record<string, string>;

export type ZipRefusalReason = RefusalReason | keyof typeof ZIP_SENTENCES;

/** A ZIP that is refused. Nothing of it is stored; `path` is visible text, and empty when it is about the whole. */
export class ZipRefusal extends Error {
  override readonly name = 'ZipRefusal';
  readonly reason: ZipRefusalReason;
  readonly path: string;

  constructor(
    reason: ZipRefusalReason,
    path = '',
    message: string = { ...REFUSAL_SENTENCES, ...ZIP_SENTENCES }[reason],
  ) {
    super(message);
    this.reason = reason;
    this.path = visiblePath(path).slice(0, SHOWN_PATH_LENGTH);
  }
}
