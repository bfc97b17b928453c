import { setImmediate as nextTurn } from 'node:timers/promises';
import { validationFailed } from '../../routers/error-shape.ts';
import {
  manifestFileSchema,
  publishedPathSchema,
  type UploadManifestInput,
  uploadManifestInput,
} from '../../routers/schemas/releases.ts';
import { AppError } from '../errors.ts';
import { checkShape } from './manifest-shape.ts';

/** Other calls have their turn between so many and the next. */
const ENTRIES_A_TURN = 2_000;
type EntrySchema = typeof manifestFileSchema | typeof publishedPathSchema;
/** What each list of the body holds. */
const ENTRIES: ReadonlyMap<string, EntrySchema> = new Map<string, EntrySchema>([
  ['files', manifestFileSchema],
  ['publishAnyway', publishedPathSchema],
]);

/**
 * A list of files from its bytes. What is wrong with it is found without much work, however much is wrong: reading holds
 * up every other call of this process. Throws `bad_request`, `validation_failed`, `upload_refused` for too many files.
 */
export async function readManifestBody(body: Buffer): Promise<UploadManifestInput> {
  await checkShape(body);
  const parsed = uploadManifestInput.safeParse(await upToFirstFault(parseJson(body)));
  if (!parsed.success) throw validationFailed(parsed.error);
  return parsed.data;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new AppError('bad_request', 'The list of files is not valid JSON.', { cause: error });
  }
}

/** The content with nothing behind the first wrong entry of a list: the schema still judges it, and finds one fault a list. */
async function upToFirstFault(content: unknown): Promise<unknown> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const upTo: [string, unknown][] = [];
  for (const [key, value] of Object.entries(content)) upTo.push([key, await cutList(value, ENTRIES.get(key))]);
  return Object.fromEntries(upTo);
}

async function cutList(list: unknown, entrySchema: EntrySchema | undefined): Promise<unknown> {
  if (!Array.isArray(list) || entrySchema === undefined) return list;
  for (let start = 0; start < list.length; start += ENTRIES_A_TURN) {
    await nextTurn();
    const some = list.slice(start, start + ENTRIES_A_TURN);
    const fault = some.findIndex((entry) => !entrySchema.safeParse(entry).success);
    if (fault !== -1) return list.slice(0, start + fault + 1);
  }
  await nextTurn();
  return list;
}
