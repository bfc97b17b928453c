import { setImmediate as nextTurn } from 'node:timers/promises';
import { REFUSAL_SENTENCES } from '../../routers/rules/uploads/upload-rules.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { AppError } from '../lib/errors.ts';

/** The body is an object, it holds lists, and one of them holds objects. */
const DEPTH = 3;
const DEPTH_OF_ENTRIES = 2;
/** An entry has path, hash and size; one field more is enough for the schema to name one that is unknown. */
const FIELDS_MAX = 4;
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['files', 'publishAnyway', 'path', 'sha256', 'sizeBytes']);
const FIELD_BYTES_MAX = 'publishAnyway'.length;
/** Limits the whole body: 320,000 different names keep `JSON.parse` busy for a second (measured). */
const UNKNOWN_FIELDS_MAX = 4;
/** A slice takes a few milliseconds; other calls get their turn between two slices. */
const SLICE_BYTES = 512 * 1024;
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The range of a list in the body, in bytes: from after its opening bracket to the closing one, and where it may be
 * cut between two entries.
 */
export type ListRange = { start: number; end: number; cuts: number[] };

/** Parsing this much takes less than a millisecond. */
const CUT_BYTES = 64 * 1024;
/**
 * Many times the longest path with every character escaped. One text or number of 16 MiB would be parsed in one step.
 */
export const PART_BYTES_MAX = 128 * 1024;

/**
 * The state of the scan. `seen[depth]` counts the commas so far in the value open at that depth, `allowed[depth]` is
 * their maximum.
 */
type Scan = {
  body: Buffer;
  at: number;
  isText: boolean;
  /** The last text: from after its opening quote to the closing one. */
  textStart: number;
  textEnd: number;
  unknownFields: number;
  depth: number;
  seen: number[];
  allowed: number[];
  lists: ListRange[];
  /** The start of the list entry that is being read. */
  entryStart: number;
};

/**
 * Refuses bodies that cannot be a list of files before they are parsed: `JSON.parse` is busy for six seconds with 16
 * MiB of brackets, and for four with a million keys (measured). Whether it is JSON at all is left to the parser, which
 * stops at the first fault. Returns the ranges of the lists, so that the caller need not parse everything at once.
 * Throws `bad_request`, and `upload_refused` for too many files.
 */
export async function checkShape(body: Buffer): Promise<readonly ListRange[]> {
  const text = { isText: false, textStart: 0, textEnd: 0 };
  const scan: Scan = {
    body,
    at: 0,
    ...text,
    unknownFields: 0,
    depth: 0,
    seen: [0],
    allowed: [0],
    lists: [],
    entryStart: 0,
  };
  while (scan.at < body.length) {
    scanTo(scan, Math.min(body.length, scan.at + SLICE_BYTES));
    await nextTurn();
  }
  return scan.lists;
}

function scanTo(scan: Scan, end: number): void {
  const { body } = scan;
  let { at, isText } = scan;
  for (; at < end; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      isText = !isText;
      if (isText) scan.textStart = at + 1;
      else scan.textEnd = at;
    } else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) countComma(scan, at);
    else if (byte === COLON) countField(scan);
    else if (byte === LIST || byte === OBJECT) open(scan, byte === LIST, at);
    else if (byte === LIST_END || byte === OBJECT_END) close(scan, at);
  }
  scan.at = at;
  scan.isText = isText;
}

function open(scan: Scan, isList: boolean, at: number): void {
  scan.depth += 1;
  if (scan.depth > DEPTH) throw new AppError('bad_request', 'The list of files is nested too deeply.');
  scan.seen[scan.depth] = 0;
  const most = isList && scan.depth === DEPTH_OF_ENTRIES ? UPLOAD_LIMITS.maxFiles : FIELDS_MAX;
  scan.allowed[scan.depth] = most - 1;
  if (!isList || scan.depth !== DEPTH_OF_ENTRIES) return;
  scan.lists.push({ start: at + 1, end: Number.NaN, cuts: [] });
  scan.entryStart = at + 1;
}

/** Returns the open list of entries, when the scan is between two of them or at its end. */
function listAt(scan: Scan): ListRange | undefined {
  const list = scan.depth === DEPTH_OF_ENTRIES ? scan.lists.at(-1) : undefined;
  return list !== undefined && Number.isNaN(list.end) ? list : undefined;
}

function endEntry(scan: Scan, at: number): void {
  if (at - scan.entryStart > PART_BYTES_MAX) throw tooLongPart();
  scan.entryStart = at + 1;
}

export function tooLongPart(): AppError {
  return new AppError('bad_request', 'An entry of the list of files is too long.');
}

function close(scan: Scan, at: number): void {
  const list = listAt(scan);
  if (list !== undefined) {
    endEntry(scan, at);
    list.end = at;
  }
  scan.depth -= 1;
  if (scan.depth < 0) throw new AppError('bad_request', 'The list of files is not valid JSON.');
}

function countComma(scan: Scan, at: number): void {
  const list = listAt(scan);
  if (list !== undefined) {
    endEntry(scan, at);
    if (at - (list.cuts.at(-1) ?? list.start) > CUT_BYTES) list.cuts.push(at);
  }
  const seen = (scan.seen[scan.depth] ?? 0) + 1;
  const allowed = scan.allowed[scan.depth] ?? 0;
  scan.seen[scan.depth] = seen;
  if (seen <= allowed) return;
  if (allowed === UPLOAD_LIMITS.maxFiles - 1) {
    throw new AppError('upload_refused', REFUSAL_SENTENCES.too_many_files, { reason: 'too_many_files', path: '' });
  }
  throw new AppError('bad_request', 'An object in the list of files has too many fields.');
}

function countField(scan: Scan): void {
  const { body, textStart, textEnd } = scan;
  const isKnown =
    textEnd - textStart <= FIELD_BYTES_MAX && KNOWN_FIELDS.has(body.toString('latin1', textStart, textEnd));
  if (isKnown) return;
  scan.unknownFields += 1;
  if (scan.unknownFields <= UNKNOWN_FIELDS_MAX) return;
  throw new AppError('bad_request', 'In the list of files, each file has only the fields path, sha256 and sizeBytes.');
}
