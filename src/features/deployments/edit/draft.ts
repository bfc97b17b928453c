import { leftOutRule } from '../../../../routers/rules/uploads/left-out-files.ts';
import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../../routers/rules/uploads/private-keys.ts';
import { REFUSAL_SENTENCES, readUpload, refusalSentence } from '../../../../routers/rules/uploads/upload-rules.ts';
import { hashBlob } from '../../../uploads/hash.ts';
import type { EditedFile } from '../../../uploads/send-edited.ts';
import { blobOf, sizeOf } from './content-size.ts';

/** A file as the release has it. */
export type StoredFile = { sha256: string; sizeBytes: number };
/** The content of a path: a file that the server has, one that was added here, or typed text. */
export type Content = StoredFile | { blob: Blob } | { text: string };

/** The start of a draft. `releaseId` is null before anything was published. */
export type Base = { releaseId: string | null; number: number; files: ReadonlyMap<string, StoredFile> };

/**
 * The differences from the release, by path. `before` is the release's content when the change was made, null for a
 * new path; `now` is null for a removed file.
 */
export type Change = { before: StoredFile | null; now: Content | null };
export type Changes = ReadonlyMap<string, Change>;

export type Draft = { base: Base; changes: Changes };

/** Returns the files as they would be published, by path. */
export function filesOf({ base, changes }: Draft): Map<string, Content> {
  const files = new Map<string, Content>(base.files);
  for (const [path, { now }] of changes) {
    if (now === null) files.delete(path);
    else files.set(path, now);
  }
  return files;
}

export function contentOf({ base, changes }: Draft, path: string): Content | null {
  const change = changes.get(path);
  return change === undefined ? (base.files.get(path) ?? null) : change.now;
}

/** Returns how a path differs from the release; null when it does not. */
export function kindOf({ before, now }: Change): 'added' | 'changed' | 'removed' {
  if (now === null) return 'removed';
  return before === null ? 'added' : 'changed';
}

/**
 * Puts contents at paths, null to remove one; restoring the release's own content is no change. One copy serves all of
 * them: a folder may hold every file of a release.
 */
export function withContents(draft: Draft, contents: Iterable<readonly [string, Content | null]>): Draft {
  const { base } = draft;
  const changes = new Map(draft.changes);
  for (const [path, now] of contents) {
    const stored = base.files.get(path) ?? null;
    const before = changes.get(path)?.before ?? stored;
    const isAsStored =
      now === null ? stored === null : stored !== null && 'sha256' in now && now.sha256 === stored.sha256;
    if (isAsStored) changes.delete(path);
    else changes.set(path, { before, now });
  }
  return { base, changes };
}

export function withContent(draft: Draft, path: string, now: Content | null): Draft {
  return withContents(draft, [[path, now]]);
}

/** Moves a file, or all of a folder, to another path. */
export function withMoved(draft: Draft, from: string, to: string): Draft {
  const files = filesOf(draft);
  const moved = pathsBelow(files, from).flatMap((path) => [
    [path, null] as const,
    [to + path.slice(from.length), files.get(path) ?? null] as const,
  ]);
  return withContents(draft, moved);
}

/** Removes a file, or all of a folder. */
export function withRemoved(draft: Draft, path: string): Draft {
  const below = pathsBelow(filesOf(draft), path);
  return withContents(
    draft,
    below.map((one) => [one, null]),
  );
}

/** Restores the release's content of a path. */
export function withRestored(draft: Draft, path: string): Draft {
  return withContent(draft, path, draft.base.files.get(path) ?? null);
}

/** Returns the paths of a file, or of all files of a folder. */
export function pathsBelow(files: ReadonlyMap<string, unknown>, path: string): string[] {
  return files.has(path) ? [path] : [...files.keys()].filter((one) => one.startsWith(`${path}/`));
}

/** Moves the changes onto another release; `both` names the files that were changed here and there. */
export function rebased({ changes }: Draft, base: Base): { draft: Draft; both: string[] } {
  const contents = [...changes].map(([path, { now }]) => [path, now] as const);
  const draft = withContents({ base, changes: new Map() }, contents);
  const both = [...changes]
    .filter(([path, { before }]) => base.files.get(path)?.sha256 !== before?.sha256 && draft.changes.has(path))
    .map(([path]) => path);
  return { draft, both };
}

/** Replaces another release with the files as they are here: its added files are removed. */
export function replacing(draft: Draft, base: Base): Draft {
  const files = filesOf(draft);
  const added = [...base.files.keys()].filter((path) => !files.has(path));
  return withContents({ base, changes: new Map() }, [...added.map((path) => [path, null] as const), ...files]);
}

/** Returns whether a release has exactly these files, like one that was made of them. */
export async function isMadeOf(release: Base, draft: Draft): Promise<boolean> {
  const files = filesOf(draft);
  if (files.size !== release.files.size) return false;
  for (const [path, content] of files) {
    const blob = blobOf(content);
    const sha256 = 'sha256' in content ? content.sha256 : blob && (await hashBlob(blob));
    if (sha256 !== release.files.get(path)?.sha256) return false;
  }
  return true;
}

/** Returns a sentence about why these files cannot be published together; null when they can. */
export function problemOf(draft: Draft): string | null {
  const key = [...filesOf(draft)].find(([path, content]) => 'text' in content && isKeyText(path, content.text));
  if (key !== undefined) return refusalSentence({ path: key[0], message: REFUSAL_SENTENCES.private_key });
  const { refusal } = readUpload([...filesOf(draft)].map(([path, content]) => ({ path, sizeBytes: sizeOf(content) })));
  return refusal === null || refusal.reason === 'no_files' ? null : refusalSentence(refusal);
}

function isKeyText(path: string, text: string): boolean {
  return mayBePrivateKey(path) && isPrivateKey(path, new TextEncoder().encode(text.slice(0, KEY_READ_BYTES)));
}

/**
 * Returns the files that are left out of the release unless the person decides otherwise. Files that the release
 * published on purpose stay.
 */
export function leftOutOf({ changes }: Draft): { path: string; reason: string }[] {
  return [...changes].flatMap(([path, { before, now }]) => {
    const rule = now === null || before !== null ? null : leftOutRule(path);
    return rule === null ? [] : [{ path, reason: rule.reason }];
  });
}

/** Returns the files that the release has published on purpose, and keeps publishing. */
export function publishedAnyway({ base, changes }: Draft): string[] {
  return [...base.files.keys()].filter((path) => leftOutRule(path) !== null && changes.get(path)?.now !== null);
}

/** Returns the files in the form for sending. */
export function editedFiles(draft: Draft): EditedFile[] {
  return [...filesOf(draft)].map(([path, content]) => {
    if ('text' in content) return { path, blob: new Blob([content.text]) };
    return { path, ...content };
  });
}
