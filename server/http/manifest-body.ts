import { validationFailed } from '../../routers/error-shape.ts';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import {
  manifestFileSchema,
  publishedPathSchema,
  type UploadManifestInput,
  uploadManifestInput,
} from '../../routers/schemas/releases.ts';
import { REFUSAL_SENTENCES } from '../../routers/schemas/upload-rules.ts';
import { AppError } from '../errors.ts';

/** The body is an object, it holds lists, and one of them holds objects. */
const DEPTH = 3;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
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
export function readManifestBody(body: Buffer): UploadManifestInput {
  const parsed = uploadManifestInput.safeParse(upToFirstFault(parseJson(body)));
  if (!parsed.success) throw validationFailed(parsed.error);
  return parsed.data;
}

function parseJson(body: Buffer): unknown {
  if (isTooDeep(body)) throw new AppError('bad_request', 'A list of files is not nested this deep.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new AppError('bad_request', 'The list of files is not valid JSON.', { cause: error });
  }
}

/** Measured: 16 MiB of brackets keep `JSON.parse` busy for six seconds. */
function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > DEPTH) return true;
  }
  return false;
}

/** The content with nothing behind the first wrong entry of a list: the schema still judges it, and finds one fault a list. */
function upToFirstFault(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  // One more than are known is enough to name one that is not.
  const entries = Object.entries(content).slice(0, ENTRIES.size + 1);
  return Object.fromEntries(entries.map(([key, value]) => [key, cutList(value, ENTRIES.get(key))]));
}

function cutList(list: unknown, entrySchema: EntrySchema | undefined): unknown {
  if (!Array.isArray(list) || entrySchema === undefined) return list;
  if (list.length > UPLOAD_LIMITS.maxFiles) {
    throw new AppError('upload_refused', REFUSAL_SENTENCES.too_many_files, { reason: 'too_many_files', path: '' });
  }
  const fault = list.findIndex((entry) => !entrySchema.safeParse(entry).success);
  return fault === -1 ? list : list.slice(0, fault + 1);
}
