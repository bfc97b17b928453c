import { formatCount } from '../../routers/schemas/format-count.ts';
import { hashBlobs, hashFiles, knownHash } from './hash.ts';
import type { Client } from './publish-server.ts';
import { readFileList } from './release-files.ts';
import type { SelectionItem } from './selection/apply-rules.ts';
import type { SelectedFile } from './selection/selection.ts';

/** The files that a selection would remove from a release, which the paths alone tell. */
export type Removal = {
  removed: string[];
  /** Files in the release. */
  before: number;
  /** Files after the change. */
  after: number;
};

/** The changes that a selection would make to a release. Very large amounts are compared by their size alone. */
export type Comparison = Removal & {
  changed: string[];
  added: string[];
  /** The most that has to be sent: contents whose hashes are known count once, and not if the release has them. */
  toSend: { count: number; totalBytes: number };
  isExact: boolean;
};

/** The files are read before anything is requested, and more would make a person wait in front of the button. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

/** Returns no comparison where the files cannot be read, or not in time. */
export async function compareWithRelease(
  items: readonly SelectionItem[],
  releaseId: string,
  signal: AbortSignal,
): Promise<{ livePaths: string[]; removal: Removal; comparison: Comparison | null }> {
  const before = await readFileList(releaseId, signal);
  const comparison = await compareFiles(before, items, signal).catch(() => null);
  return { livePaths: [...before.keys()], removal: comparison ?? removalOf(before, items), comparison };
}

function removalOf(before: ReadonlyMap<string, unknown>, items: readonly SelectionItem[]): Removal {
  return removalBetween(before, new Set(items.map(pathOf)));
}

export function removalBetween(
  before: ReadonlyMap<string, unknown>,
  after: { has(path: string): boolean; size: number },
): Removal {
  return { removed: [...before.keys()].filter((path) => !after.has(path)), before: before.size, after: after.size };
}

export async function compareFiles(
  before: ReadonlyMap<string, { sha256: string; sizeBytes: number }>,
  items: readonly SelectionItem[],
  signal: AbortSignal,
): Promise<Comparison> {
  const kept = items.filter(({ path }) => before.has(path));
  const sameSize = kept.filter(({ path, sizeBytes }) => before.get(path)?.sizeBytes === sizeBytes);
  const isExact = sameSize.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= READ_BYTES_MAX;
  const hashed = isExact ? await hashFiles(await filesOf(sameSize, signal), hashBlobs, () => {}, signal) : [];
  const differing = new Set(hashed.filter(({ path, sha256 }) => before.get(path)?.sha256 !== sha256).map(pathOf));
  const alike = new Set(sameSize.map(pathOf).filter((path) => !differing.has(path)));
  return {
    ...removalOf(before, items),
    changed: kept.map(pathOf).filter((path) => !alike.has(path)),
    added: items.map(pathOf).filter((path) => !before.has(path)),
    toSend: amountOf(
      items.filter(({ path }) => !alike.has(path)),
      new Set(Array.from(before.values(), ({ sha256 }) => sha256)),
    ),
    isExact,
  };
}

function amountOf(items: readonly SelectionItem[], there: Set<string>): Comparison['toSend'] {
  const sizes = items.flatMap(({ source, sizeBytes }) => {
    const sha256 = 'file' in source ? knownHash(source.file) : undefined;
    if (sha256 === undefined) return [sizeBytes];
    if (there.has(sha256)) return [];
    there.add(sha256);
    return [sizeBytes];
  });
  return { count: sizes.length, totalBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

async function filesOf(items: readonly SelectionItem[], signal: AbortSignal): Promise<SelectedFile[]> {
  const files: SelectedFile[] = [];
  for (const { path, source } of items) {
    signal.throwIfAborted();
    files.push({ path, file: 'file' in source ? source.file : await source.unpack() });
  }
  return files;
}

function pathOf({ path }: { path: string }): string {
  return path;
}

/** A wrong folder would remove most of the site. */
export function removesMost({ removed, before }: Removal): boolean {
  return removed.length > 1 && removed.length > before / 2;
}

/** Returns the question before most of a release is removed; null when most stays. */
export function removalQuestion(
  removal: Removal,
  releaseNumber: number,
): { title: string; description: string } | null {
  if (!removesMost(removal)) return null;
  const { removed, before, after } = removal;
  return {
    title: `Remove ${removed.length.toLocaleString('en')} of ${formatCount(before, 'file')}?`,
    description: `The new release has ${formatCount(after, 'file')}. The other files of release ${releaseNumber} will no longer be served. That release is kept, and you can roll back to it.`,
  };
}

/** `since`: the number of the release before; null where that is not known, and every live file counts as edited. */
export type Edits = { paths: ReadonlySet<string>; since: number | null };
const PAGES_READ_MAX = 8;

/** Returns the edits of the editor up to this release, since files were last published. */
export async function readEdits(
  { client }: Client,
  {
    deploymentId,
    live,
    livePaths,
  }: { deploymentId: string; live: { id: string; number: number }; livePaths: string[] },
  signal: AbortSignal,
): Promise<Edits> {
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_READ_MAX; page += 1) {
    const { items, nextCursor } = await client.releases.list.query({ deploymentId, cursor }, { signal });
    const before = items.find(
      ({ number, source, state }) => number < live.number && source !== 'editor' && state === 'superseded',
    );
    if (before !== undefined) {
      const diff = await client.releases.diff.query({ releaseId: live.id, against: before.id }, { signal });
      const paths = [...diff.added, ...diff.changed, ...diff.removed].map(pathOf);
      return { paths: new Set(paths), since: diff.previousNumber };
    }
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return { paths: new Set(livePaths), since: null };
}

/** Returns the question before edits are replaced; null when the chosen files are known to have them as they are. */
export function editsQuestion(
  edits: Edits | null,
  comparison: Comparison | null,
  releaseNumber: number,
): { title: string; description: string } | null {
  const title = 'Replace changes from Fairlead’s editor?';
  if (comparison !== null && changesNothing(comparison)) return null;
  if (edits === null || comparison === null) {
    return {
      title,
      description: `Release ${releaseNumber} was made in Fairlead’s editor, and what you chose replaces it. It is kept, and you can roll back to it.`,
    };
  }
  const { changed, added, removed } = comparison;
  const lost = [...changed, ...added, ...removed].filter((path) => edits.paths.has(path));
  if (lost.length === 0) return null;
  const since = edits.since === null ? '' : ` since release ${edits.since}`;
  const names = `${lost.slice(0, NAMED_MAX).join(', ')}${lost.length > NAMED_MAX ? ' …' : ''}`;
  return {
    title,
    description: `Changed in Fairlead’s editor${since}: ${names}. What you chose differs from that, and replaces it. Release ${releaseNumber} is kept, and you can roll back to it.`,
  };
}

export function changesNothing({ changed, added, removed, isExact }: Comparison): boolean {
  return isExact && changed.length + added.length + removed.length === 0;
}

const NAMED_MAX = 3;

/** The files of one kind, by name; a long list is cut. */
export type NamedChanges = { kind: string; paths: readonly string[]; more: number };
const LISTED_MAX = 200;

/** Returns the changed, new and removed files by name, where the text does not name them. */
export function namedChanges({ changed, added, removed }: Comparison): NamedChanges[] {
  if (changed.length + added.length + removed.length <= NAMED_MAX) return [];
  const all = Object.entries({ Changed: changed, New: added, Removed: removed });
  return all
    .filter(([, paths]) => paths.length > 0)
    .map(([kind, paths]) => ({
      kind,
      paths: paths.slice(0, LISTED_MAX),
      more: Math.max(0, paths.length - LISTED_MAX),
    }));
}

/** Warns when most of what is live is replaced or removed, as by the folder of another site. */
function stayingText({ changed, removed, before, isExact }: Comparison): string {
  const replaced = changed.length + removed.length;
  if (!isExact || replaced < 2 || replaced <= before / 2) return '';
  const staying = before - replaced;
  const kept = staying === 0 ? 'None' : `Only ${staying.toLocaleString('en')}`;
  return `. ${kept} of the ${formatCount(before, 'live file')} stay${staying === 1 ? 's' : ''} unchanged`;
}

/** Returns a text such as `1 changed: menu.html; 1 removed: bread.png` or `2 changed, 1 new, 3 removed`. */
export function comparisonText(comparison: Comparison): string {
  const { changed, added, removed, after, isExact } = comparison;
  const total = changed.length + added.length + removed.length;
  const least = isExact ? '' : 'at least ';
  if (total === 0) {
    return isExact
      ? 'No file changed'
      : 'No file was added or removed, and no size changed. Files of the same size are compared when you publish';
  }
  const of = added.length + removed.length === 0 ? ` of ${formatCount(after, 'file')}` : '';
  const kinds: [count: string, paths: readonly string[]][] = [
    [`${least}${changed.length.toLocaleString('en')}${of} changed`, changed],
    [`${added.length.toLocaleString('en')} new`, added],
    [`${removed.length.toLocaleString('en')} removed`, removed],
  ];
  const some = kinds.filter(([, paths]) => paths.length > 0);
  const text =
    total <= NAMED_MAX
      ? some.map(([count, paths]) => `${count}: ${paths.join(', ')}`).join('; ')
      : some.map(([count]) => count).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1) + stayingText(comparison);
}
