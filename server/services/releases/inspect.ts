import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspectUpload, type UploadProblem } from '../../../routers/schemas/upload-inspection.ts';
import type { OfferedFile } from '../../../routers/schemas/upload-rules.ts';
import { lookInto, type TextLook, textsToRead } from '../../../routers/schemas/upload-text-problems.ts';
import type { Manifest } from '../../artifacts/manifest.ts';
import type { ArtifactStore } from '../../artifacts/store.ts';
import { AppError } from '../../errors.ts';

/** Looking into one text keeps everybody else from this process for so long. */
const TEXT_MAX_BYTES = 1024 * 1024;
/** Read ahead of one another: one by one most of the time goes by in waiting. */
const TEXTS_AT_ONCE = 16;
/** What says what the release is; `_redirects` and `_headers` have a report of their own (rule-report.ts). */
const TELLING_TEXTS = ['package.json', 'index.html'] as const;
/** More lines of one kind help nobody; the sentence above them says how many there are. */
const PLACES_TOLD = 20;

/**
 * What the log of a release says of its files: the findings that a person sees in the browser before sending, for those
 * who send by script as well. Nothing of it keeps a release back: a text that cannot be read is left out here, and met
 * again by the steps that need it. Ends with the signal's reason.
 */
export async function reportFindings(store: ArtifactStore, manifest: Manifest, signal: AbortSignal): Promise<string[]> {
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  const read = (path: string): Promise<string | null> => readText(store, manifest, path);
  const texts = new Map<string, string>();
  for (const name of TELLING_TEXTS) {
    const text = await read(name);
    if (text !== null) texts.set(name, text);
  }
  const { looks, unreadCount } = await lookIntoAll(files, read, signal);
  const { title, entryPage, problems } = inspectUpload(files, texts, looks);
  const first = entryPage === null ? title : `${title}: ${entryPage} is its first page`;
  return [first, ...problems.flatMap(told), ...leftUnread(unreadCount)];
}

async function lookIntoAll(
  files: readonly OfferedFile[],
  read: (path: string) => Promise<string | null>,
  signal: AbortSignal,
): Promise<{ looks: Map<string, TextLook>; unreadCount: number }> {
  const { chosen, unreadCount } = textsToRead(files, TEXT_MAX_BYTES);
  const looks = new Map<string, TextLook>();
  for (let start = 0; start < chosen.length; start += TEXTS_AT_ONCE) {
    const some = chosen.slice(start, start + TEXTS_AT_ONCE);
    const texts = await Promise.all(some.map(async (file) => ({ file, text: await read(file.path) })));
    for (const { file, text } of texts) {
      signal.throwIfAborted();
      if (text !== null) looks.set(file.path, lookInto(file, text));
      await nextTurn();
    }
  }
  return { looks, unreadCount };
}

/** Null when the release has no such file, when it is large, and when it cannot be read. */
async function readText(store: ArtifactStore, manifest: Manifest, path: string): Promise<string | null> {
  const entry = manifest.get(path);
  if (entry === undefined || entry.sizeBytes >= TEXT_MAX_BYTES) return null;
  try {
    return (await store.readWhole(entry.sha256)).toString('utf8');
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function leftUnread(count: number): string[] {
  if (count === 0) return [];
  const texts = count === 1 ? '1 text was' : `${count} texts were`;
  return [`${texts} not looked into: only so much is read of large sites and of large texts`];
}

function told({ code, message, hint, path, places = [] }: UploadProblem): string[] {
  const sentence = code === 'holds_token' && path !== null ? `${message} ${path}.` : message;
  const lines = places.slice(0, PLACES_TOLD).map((place) => `${place.path}, line ${place.line}: ${place.text}`);
  return [`${sentence} ${hint}`, ...lines];
}
