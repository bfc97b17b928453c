import { rootLinkProblem } from '../../../routers/rules/uploads/root-link-problem.ts';
import type { BrokenLink, UploadProblem } from '../../../routers/rules/uploads/upload-inspection.ts';
import type { OfferedFile } from '../../../routers/rules/uploads/upload-rules.ts';
import { textsToRead } from '../../../routers/rules/uploads/upload-text-problems.ts';
import { AppError } from '../../lib/errors.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import { type Inspector, openInspector, type TextOfFile } from './inspector.ts';

/** A larger text is data, and nothing that a person has written. */
const TEXT_MAX_BYTES = 1024 * 1024;
/** Texts are read ahead, because one by one most of the time would pass in waiting. */
const TEXTS_AT_ONCE = 16;
/** These texts tell the kind of release; `_redirects` and `_headers` have a report of their own (rule-report.ts). */
const REVEALING_TEXTS: ReadonlySet<string> = new Set(['package.json', 'index.html']);
/** More lines of one kind help nobody; the sentence above them says how many there are. */
const PLACES_TOLD = 20;
/**
 * Links of all texts in memory at once, since a text of 64 MiB of links would take a gigabyte. Further texts are left
 * unread.
 */
const LINKS_MAX = 200_000;

/** The lines of a release's log about its files, links that lead nowhere, and whether browsers can show the files. */
export type Findings = { lines: string[]; brokenLinks: BrokenLink[]; needsBuild: boolean };
type InspectionScope = {
  changed: ReadonlySet<string> | null;
  folder: string | null;
  isSinglePage: boolean;
  signal: AbortSignal;
};

/**
 * Returns the lines of a release's log about its files, and its broken links: the findings that a person sees in the
 * browser before sending, for those who send by script as well. Only the texts at the `changed` paths are examined, or
 * all when it is null, because findings in the others were reported with the release that brought them. `folder` is
 * the one of its host below which the site is served (below-folder.ts). No finding stops a release: a text that cannot
 * be read is left out here and fails in the steps that need it. Ends with the signal's reason.
 */
export async function reportFindings(
  store: ArtifactStore,
  manifest: Manifest,
  scope: InspectionScope,
): Promise<Findings> {
  try {
    return await findings(store, manifest, scope);
  } catch (error) {
    if (scope.signal.aborted || !isTooMuch(error)) throw error;
    const line = 'The files were not searched for problems, because there is too much in them';
    return { lines: [line], brokenLinks: [], needsBuild: false };
  }
}

/** A thread that took too long or too much memory says nothing about whether the release is good. */
function isTooMuch(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'overloaded' || code === 'ERR_WORKER_OUT_OF_MEMORY';
}

async function findings(
  store: ArtifactStore,
  manifest: Manifest,
  { changed, folder, isSinglePage, signal }: InspectionScope,
): Promise<Findings> {
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  const toLookInto = changed === null ? files : files.filter(({ path }) => changed.has(path));
  const { chosen, unreadCount } = textsToRead(toLookInto, TEXT_MAX_BYTES);
  const revealing = files.filter(({ path, sizeBytes }) => REVEALING_TEXTS.has(path) && sizeBytes < TEXT_MAX_BYTES);
  const read = (path: string): Promise<string | null> => readText(store, manifest, path);
  const inspector = await openInspector(files, [...revealing, ...chosen], signal);
  try {
    const unreached = await lookIntoAll(inspector, chosen, read, signal);
    const { title, entryPage, problems, brokenLinks, rootLinks } = await inspector.conclude(
      await readTexts(revealing, read),
      isSinglePage,
    );
    const first = entryPage === null ? title : `${title}, start page ${entryPage}`;
    const broken = rootLinkProblem(rootLinks, folder);
    const lines = [
      first,
      ...problems.flatMap(problemLines),
      ...(broken === null ? [] : problemLines(broken)),
      ...leftUnread(unreadCount + unreached),
    ];
    return { lines, brokenLinks, needsBuild: problems.some(({ code }) => code === 'needs_build') };
  } finally {
    await inspector.end();
  }
}

async function readTexts(
  files: readonly OfferedFile[],
  read: (path: string) => Promise<string | null>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of files) {
    const text = await read(path);
    if (text !== null) texts.set(path, text);
  }
  return texts;
}

/** Resolves with how many texts were left unread. */
async function lookIntoAll(
  inspector: Inspector,
  chosen: readonly OfferedFile[],
  read: (path: string) => Promise<string | null>,
  signal: AbortSignal,
): Promise<number> {
  const readFrom = async (start: number): Promise<TextOfFile[]> => {
    const some = chosen.slice(start, start + TEXTS_AT_ONCE);
    const texts = await Promise.all(some.map(async (file) => ({ file, text: await read(file.path) })));
    return texts.flatMap(({ file, text }) => (text === null ? [] : [{ file, text }]));
  };
  let links = 0;
  let texts = await readFrom(0);
  for (let start = 0; start < chosen.length; start += TEXTS_AT_ONCE) {
    if (links > LINKS_MAX) return chosen.length - start;
    signal.throwIfAborted();
    // The next texts are read while these are looked into.
    const [found, next] = await Promise.all([inspector.look(texts), readFrom(start + TEXTS_AT_ONCE)]);
    links += found;
    texts = next;
  }
  return 0;
}

/** Returns null when the release has no such file, when it is large, and when it cannot be read. */
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
  const [texts, whose] = count === 1 ? ['1 text file was', 'its'] : [`${count} text files were`, 'their'];
  return [`${texts} not searched for problems, because of ${whose} size or that of the site`];
}

function problemLines({ code, message, hint, path, places = [] }: UploadProblem): string[] {
  const sentence = code === 'holds_token' && path !== null ? `${message} ${path}.` : message;
  const lines = places.slice(0, PLACES_TOLD).map((place) => `${place.path}, line ${place.line}: ${place.text}`);
  return [`${sentence} ${hint}`, ...lines];
}
