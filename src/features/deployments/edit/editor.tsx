import { ChevronLeft } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Notice } from '../../../components/notice.tsx';
import type { LeftEditor } from './code-editor.tsx';
import { type Base, type Draft, isMadeOf, rebased } from './draft.ts';
import { type EditorDialog, EditorDialogs } from './editor-dialogs.tsx';
import { ElsewhereNotice } from './elsewhere-notice.tsx';
import { FilesPane } from './files/files-pane.tsx';
import { NameDialog } from './files/name-dialog.tsx';
import { useFilesActs } from './files/use-files-acts.ts';
import { OpenFile, Said } from './open-file.tsx';
import { OpenTabs } from './open-tabs.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { type Edited, type Editing, useDraft } from './use-draft.ts';
import { type Preview, usePreview } from './use-preview.ts';

export type EditorProps = {
  deployment: Deployment;
  /** The key of the stored draft. */
  draftKey: string;
  initial: Edited;
  /** True when the live release is edited, and not an earlier one. */
  isOfLive: boolean;
  /** The release on its way, else the live one, else the last one; undefined until its files are known, null if never. */
  newest: Base | null | undefined;
  /** True while that release may still fail: until it is live nothing is asked about the changes. */
  isOnItsWay: boolean;
  isReadOnly: boolean;
};

/** Edits the files of the next release: a tree, the open ones as tabs, and the acts to publish them. */
export function Editor({ deployment, draftKey, initial, isOfLive, newest, isOnItsWay, isReadOnly }: EditorProps) {
  const editing = useDraft(draftKey, initial);
  const { draft, isPublished } = editing;
  const [dialog, setDialog] = useState<EditorDialog | null>(null);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const preview = usePreview(deployment.id, draft, isPreviewed);
  useLive(editing, newest ?? null, isOfLive);
  const isSettled = isOnItsWay || isPublished.current || newest?.releaseId === draft.base.releaseId;
  const newer = useNewer(editing, isSettled ? null : newest);
  const isUndecided = newer === undefined;
  const askPublish = () => draft.changes.size > 0 && !isReadOnly && !isUndecided && setDialog('publish');
  useSaveKey(askPublish);
  return (
    <>
      {editing.isUnstored && (
        <Notice tone="warn" className="mb-4">
          This browser cannot store your changes: a reload would lose them.
        </Notice>
      )}
      <ElsewhereNotice draftKey={draftKey} />
      {newer && draft.changes.size > 0 && (
        <Notice
          tone="warn"
          title={`Release ${newer.number} is live`}
          className="mb-4"
          action={<Button onClick={() => setDialog('conflict')}>Choose what to keep</Button>}
        >
          Your changes are based on release {draft.base.number}.
        </Notice>
      )}
      <Card className="flex h-[max(26rem,calc(100dvh-14.5rem))] flex-col overflow-clip">
        <Panes
          editing={editing}
          isReadOnly={isReadOnly}
          preview={isPreviewed ? preview : null}
          onEndPreview={() => setIsPreviewed(false)}
        />
        <PublishBar
          draft={draft}
          isReadOnly={isReadOnly}
          isUndecided={isUndecided}
          onDiscard={() => setDialog('discard')}
          isPreviewed={isPreviewed}
          onPreview={() => setIsPreviewed(!isPreviewed)}
          onPublish={askPublish}
        />
      </Card>
      <EditorDialogs
        deployment={deployment}
        editing={editing}
        newer={newer}
        dialog={dialog}
        onClose={() => setDialog(null)}
      />
    </>
  );
}

type PanesProps = { editing: Editing; isReadOnly: boolean; preview: Preview | null; onEndPreview: () => void };

/** Shows the tree beside the open files, or the preview beside one of them. */
function Panes({ editing, isReadOnly, preview, onEndPreview }: PanesProps) {
  const { draft, active } = editing;
  const [isTreeShown, setIsTreeShown] = useState(draft.changes.size === 0);
  /** The place that a search led to; choosing another file ends it. */
  const [found, setFound] = useState<Found | null>(null);
  const acts = useFilesActs(editing, () => {
    setFound(null);
    setIsTreeShown(false);
  });
  const isPreviewed = preview !== null;
  useEffect(() => {
    if (isPreviewed && active !== null) setIsTreeShown(false);
  }, [isPreviewed, active]);
  return (
    <div
      className={classNames(
        'grid min-h-0 flex-1',
        isPreviewed ? 'md:grid-cols-2' : 'md:grid-cols-[15rem_minmax(0,1fr)]',
      )}
    >
      <div
        className={classNames(
          'flex min-h-0 flex-col border-line',
          sideLook(isTreeShown, isPreviewed),
          !isPreviewed && 'md:border-r',
        )}
      >
        <FilesPane
          draft={draft}
          active={active}
          isReadOnly={isReadOnly}
          acts={acts}
          onFind={(path, line) => {
            acts.open(path);
            setFound(line === null ? null : { path, line });
          }}
        />
      </div>
      <div className={classNames('flex min-h-0 min-w-0 flex-col', sideLook(!isTreeShown, isPreviewed))}>
        <Button
          variant="quiet"
          className={classNames('self-start', !isPreviewed && 'md:hidden')}
          onClick={() => setIsTreeShown(true)}
        >
          <ChevronLeft /> Files
        </Button>
        <OpenFiles editing={editing} found={found} isReadOnly={isReadOnly} onShow={acts.open} />
      </div>
      {isPreviewed && <PreviewPane preview={preview} active={active} onClose={onEndPreview} />}
      {acts.naming !== null && <NameDialog {...acts.naming} onName={acts.name} onClose={acts.endNaming} />}
    </div>
  );
}

type Found = { path: string; line: number };
type OpenFilesProps = { editing: Editing; found: Found | null; isReadOnly: boolean; onShow: (path: string) => void };

/** Shows the open files as tabs, and the text of the visible one. */
function OpenFiles({ editing, found, isReadOnly, onShow }: OpenFilesProps) {
  const { draft, open, active, version } = editing;
  const id = useId();
  const left = useLeftEditors(version);
  if (active === null) {
    return (
      <Said>
        <p className="text-ink-muted">Choose a file to edit it.</p>
      </Said>
    );
  }
  return (
    <>
      <OpenTabs id={id} open={open} active={active} changes={draft.changes} onShow={onShow} onClose={editing.close} />
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${open.indexOf(active)}`}
        className="min-h-0 flex-1"
      >
        <OpenFile
          key={`${version} ${active}`}
          draft={draft}
          path={active}
          left={left}
          place={found?.path === active ? found : null}
          isReadOnly={isReadOnly}
          onWrite={editing.write}
        />
      </div>
    </>
  );
}

type PublishBarProps = {
  draft: Draft;
  isReadOnly: boolean;
  /** True while it is not known whether a newer release has to be asked about. */
  isUndecided: boolean;
  onDiscard: () => void;
  isPreviewed: boolean;
  /** Shows the preview, or ends it. */
  onPreview: () => void;
  onPublish: () => void;
};

/** Counts the changes, with the acts on all of them. */
function PublishBar(props: PublishBarProps) {
  const { draft, isReadOnly, isUndecided, isPreviewed, onDiscard, onPreview, onPublish } = props;
  const count = draft.changes.size;
  const hasFiles = count > 0 || draft.base.files.size > 0;
  return (
    <div className="sticky bottom-0 flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line bg-surface-raised px-3 py-2">
      <p role="status" className="mr-auto text-sm text-ink-muted max-sm:basis-full">
        {count === 0 ? 'No changes' : formatCount(count, draft.base.files.size === 0 ? 'new file' : 'change')}
        {count > 0 && <span className="max-sm:sr-only">, stored in this browser</span>}
      </p>
      {count > 0 && (
        <Button variant="quiet" onClick={onDiscard}>
          Discard
        </Button>
      )}
      {/* It stays while the preview is shown: Discard would move under the pointer that pressed it. */}
      {!isReadOnly && hasFiles && (
        <Button aria-pressed={isPreviewed} onClick={onPreview}>
          Preview
        </Button>
      )}
      <Button
        variant="primary"
        disabled={count === 0 || isReadOnly}
        isBusy={isUndecided && count > 0}
        busyLabel="Checking…"
        onClick={onPublish}
      >
        Publish…
      </Button>
    </div>
  );
}

/**
 * Hides one side when tree and text do not fit beside each other: beside the preview, and in a narrow window, which
 * shows nothing else beside the preview.
 */
function sideLook(isShown: boolean, isPreviewed: boolean): string | false {
  if (isPreviewed) return isShown ? 'max-md:hidden' : 'hidden';
  return !isShown && 'max-md:hidden';
}

/** Keeps the editors that were left, until the texts are changed by anything but typing. */
function useLeftEditors(version: number): Map<string, LeftEditor> {
  const latest = useRef({ version, left: new Map<string, LeftEditor>() });
  if (latest.current.version !== version) latest.current = { version, left: new Map() };
  return latest.current.left;
}

/** Moves a draft without changes to the newest release. */
function useLive({ draft: { base, changes }, change }: Editing, newest: Base | null, isOfLive: boolean): void {
  const next = isOfLive && changes.size === 0 && newest?.releaseId !== base.releaseId ? newest : null;
  useEffect(() => {
    if (next !== null) change(() => ({ base: next, changes: new Map() }));
  }, [next, change]);
}

/**
 * Returns the newest release if the changes have to be decided about, and undefined until that is known. If it was made
 * of them, as in another tab or just before a reload, they are over.
 */
function useNewer({ draft, change }: Editing, newest: Base | null | undefined): Base | null | undefined {
  const [asked, setAsked] = useState<string | null>();
  const id = newest?.releaseId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed later is not part of that release
  useEffect(() => {
    if (!newest) return;
    let isShown = true;
    const finish = (isMade: boolean) => {
      if (!isShown) return;
      // What was typed meanwhile stays.
      const next = (now: Draft) => (now === draft ? { base: newest, changes: new Map() } : rebased(now, newest).draft);
      if (!isMade || !change(next)) setAsked(newest.releaseId);
    };
    isMadeOf(newest, draft).then(finish, () => finish(false));
    return () => {
      isShown = false;
    };
  }, [id]);
  return newest && id !== asked ? undefined : newest;
}

/** Publishes on Ctrl or ⌘ S, in place of saving the page. */
function useSaveKey(onSave: () => void): void {
  const latest = useRef(onSave);
  latest.current = onSave;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
