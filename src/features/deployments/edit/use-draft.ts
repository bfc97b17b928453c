import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { writeEdits } from '../../../uploads/stored-edits.ts';
import type { StoredDraft } from '../stored-draft.ts';
import { type Draft, problemOf, withContent } from './draft.ts';

/** The edited draft, and the open files. */
export type Edited = { draft: Draft; open: readonly string[]; active: string | null };

const STORE_PAUSE_MS = 300;

export type Editing = Edited & {
  /** The number of changes to the texts by anything but typing. */
  version: number;
  /** True when the browser could not store the draft: a reload would lose it. */
  isUnstored: boolean;
  /** True once the changes have become a release. */
  isPublished: RefObject<boolean>;
  /** Removes the stored draft, which has become a release. */
  end: () => Promise<unknown>;
  write: (path: string, text: string, original: string | null) => void;
  /** Changes files; returns null, or the reason why the result could not be published. */
  tryChange: (next: (draft: Draft) => Draft, opened?: string) => string | null;
  /** Does the same for a caller that has no place for the reason: it is shown, and false returned. */
  change: (next: (draft: Draft) => Draft, opened?: string) => boolean;
  show: (path: string) => void;
  close: (path: string) => void;
};

/** Holds a draft, and stores it for a reload. `key` names the deployment, and the release if it is not the live one. */
export function useDraft(key: string, initial: Edited): Editing {
  const [edited, setEdited] = useState(initial);
  const [version, setVersion] = useState(0);
  const latest = useRef(edited);
  latest.current = edited;
  const isPublished = useRef(false);
  const isUnstored = useStored(key, edited, isPublished);

  const acts = useMemo(() => {
    const write: Editing['write'] = (path, text, original) =>
      setEdited((before) => {
        const stored = before.draft.base.files.get(path);
        const content = text === original && stored !== undefined ? stored : { text };
        return { ...before, draft: withContent(before.draft, path, content) };
      });
    const tryChange: Editing['tryChange'] = (next, opened) => {
      const { draft, open, active } = latest.current;
      const changed = next(draft);
      const problem = problemOf(changed);
      if (problem !== null) return problem;
      setEdited(withTabs({ draft: changed, open, active }, opened));
      setVersion((count) => count + 1);
      return null;
    };
    const change: Editing['change'] = (next, opened) => {
      const problem = tryChange(next, opened);
      if (problem !== null)
        showToast({ title: 'This cannot be published', description: problem, variant: 'destructive' });
      return problem === null;
    };
    const show: Editing['show'] = (path) => setEdited((before) => withTabs(before, path));
    const close: Editing['close'] = (path) =>
      setEdited((before) => {
        const open = before.open.filter((one) => one !== path);
        const next = before.open[before.open.indexOf(path) + 1] ?? open.at(-1) ?? null;
        return { ...before, open, active: before.active === path ? next : before.active };
      });
    const end: Editing['end'] = () => {
      isPublished.current = true;
      return writeEdits(key, null);
    };
    return { write, tryChange, change, show, close, end };
  }, [key]);
  return { ...edited, version, isUnstored, isPublished, ...acts };
}

/** Closes the tabs of removed files, and opens a file. */
function withTabs({ draft, open, active }: Edited, opened?: string): Edited {
  const isThere = (path: string) => {
    const change = draft.changes.get(path);
    return change === undefined ? draft.base.files.has(path) : change.now !== null;
  };
  const left = open.filter(isThere);
  const shown = opened ?? (active !== null && isThere(active) ? active : (left.at(-1) ?? null));
  return { draft, open: shown === null || left.includes(shown) ? left : [...left, shown], active: shown };
}

/** Stores the edits a moment after each change, and asks before the page is left with changes. */
function useStored(key: string, edited: Edited, isPublished: RefObject<boolean>): boolean {
  const [isUnstored, setIsUnstored] = useState(false);
  const latest = useRef(edited);
  latest.current = edited;
  const store = useCallback(async () => {
    const { draft, open, active } = latest.current;
    const { releaseId, number } = draft.base;
    const edits: StoredDraft = { releaseId, number, changes: draft.changes, open, active };
    const isOver = isPublished.current || draft.changes.size === 0;
    setIsUnstored(!(await writeEdits(key, isOver ? null : edits)) && !isOver);
  }, [key, isPublished]);
  const { draft, open, active } = edited;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them is a part of what is stored
  useEffect(() => {
    const timer = setTimeout(store, STORE_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, open, active, store]);
  // Leaving the screen within the pause still stores the edits.
  useEffect(() => () => void store(), [store]);
  const hasChanges = draft.changes.size > 0;
  useEffect(() => {
    if (!hasChanges) return;
    const ask = (event: BeforeUnloadEvent) => {
      void store();
      event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [hasChanges, store]);
  return isUnstored;
}
