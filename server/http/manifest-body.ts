import { validationFailed } from '../../routers/error-shape.ts';
import {
  manifestFileSchema,
  publishedPathSchema,
  type UploadManifestInput,
  uploadManifestInput,
} from '../../routers/schemas/releases.ts';
import { AppError } from '../lib/errors.ts';
import { runInTimeSlices } from '../lib/time-slices.ts';
import { checkShape, type ListRange, PART_BYTES_MAX, tooLongPart } from './manifest-shape.ts';

/** Validating this many takes about a millisecond. */
const ENTRIES_A_STEP = 200;

/**
 * Reads a list of files from its bytes. Faults are found with little work, however many there are, because reading
 * holds up every other call of this process. Throws `bad_request`, `validation_failed`, and `upload_refused` for too
 * many files.
 */
export async function readManifestBody(body: Buffer): Promise<UploadManifestInput> {
  const ranges = await checkShape(body);
  const content = parseJson(withoutLists(body, ranges));
  const lists =
    typeof content === 'object' && content !== null ? await runInTimeSlices(readLists(body, ranges, content)) : {};
  // The entries have been validated; the schema still validates the rest.
  const frame = uploadManifestInput.safeParse(
    Array.isArray(content) || typeof content !== 'object' ? content : { ...content, ...emptied(lists) },
  );
  if (!frame.success) throw validationFailed(frame.error);
  return { ...frame.data, ...lists };
}

function emptied(lists: Lists): Lists {
  return { ...(lists.files && { files: [] }), ...(lists.publishAnyway && { publishAnyway: [] }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

function notJson(cause?: unknown): AppError {
  return new AppError('bad_request', 'The list of files is not valid JSON.', { cause });
}

/** Returns the body with each list's entries replaced by the list's number; the entries are parsed a few at a time. */
function withoutLists(body: Buffer, ranges: readonly ListRange[]): string {
  let text = '';
  let at = 0;
  const inLists = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  if (body.length - inLists > PART_BYTES_MAX) throw tooLongPart();
  for (const [number, { start, end }] of ranges.entries()) {
    if (Number.isNaN(end)) throw notJson();
    text += `${body.toString('utf8', at, start)}${number}`;
    at = end;
  }
  return text + body.toString('utf8', at);
}

type Lists = Partial<UploadManifestInput>;

/**
 * Reads the lists of the body, entry by entry. Throws `bad_request`, and `validation_failed` for the first entry that
 * is wrong.
 */
function* readLists(body: Buffer, ranges: readonly ListRange[], content: object): Generator<void, Lists> {
  const { files, publishAnyway }: { files?: unknown; publishAnyway?: unknown } = content;
  const read = <Entry>(name: string, list: unknown[], schema: EntrySchema<Entry>) => {
    const range = ranges[Number(list[0])];
    if (range === undefined) throw notJson();
    return checkList(name, entriesAt(body, range), schema);
  };
  return {
    ...(Array.isArray(files) && { files: yield* read('files', files, manifestFileSchema) }),
    ...(Array.isArray(publishAnyway) && {
      publishAnyway: yield* read('publishAnyway', publishAnyway, publishedPathSchema),
    }),
  };
}

/** Yields the entries of a list in groups, as they are parsed. */
function* entriesAt(body: Buffer, { start, end, cuts }: ListRange): Generator<unknown[]> {
  let from = start;
  for (const cut of [...cuts, end]) {
    const entries = parseJson(`[${body.toString('utf8', from, cut)}]`);
    // The text has two commas with nothing between them.
    if (!Array.isArray(entries) || (entries.length === 0 && cuts.length > 0)) throw notJson();
    yield entries;
    from = cut + 1;
  }
}

type EntrySchema<Entry> = {
  safeParse(
    entry: unknown,
  ): { success: true; data: Entry } | { success: false; error: Parameters<typeof validationFailed>[0] };
};

function* checkList<Entry>(
  name: string,
  parts: Iterable<unknown[]>,
  schema: EntrySchema<Entry>,
): Generator<void, Entry[]> {
  const entries: Entry[] = [];
  for (const part of parts) {
    for (const entry of part) {
      if (entries.length % ENTRIES_A_STEP === 0) yield;
      const parsed = schema.safeParse(entry);
      if (!parsed.success) throw validationFailed(parsed.error, [name, entries.length]);
      entries.push(parsed.data);
    }
    yield;
  }
  return entries;
}
