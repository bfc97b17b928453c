import { ChevronLeft } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Notice } from '../../../components/notice.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { useNavigate } from '../../../lib/location.ts';
import { href } from '../../../lib/paths.ts';
import { writeEdits } from '../../../uploads/stored-edits.ts';
import type { LeftEditor } from './code-editor.tsx';
import { type ConflictChoice, ConflictDialog } from './conflict-dialog.tsx';
import { type Base, rebased, replacing, withRestored } from './draft.ts';
import { ElsewhereNotice } from './elsewhere-notice.tsx';
import { FilesPane } from './files-pane.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import { OpenFile, Said } from './open-file.tsx';
import { OpenTabs } from './open-tabs.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { type Edited, type Editing, useDraft } from './use-draft.ts';
import { useFilesActs } from './use-files-acts.ts';
import { usePreview } from './use-preview.ts';
import { usePublishDraft } from './use-publish-draft.ts';

const PublishDialog = lazyDialog(async () => (await import('./publish-dialog.tsx')).PublishDialog);

export type EditorProps = {
  deployment: Deployment;
  /** The key of the stored draft. */
  draftKey: string;
  initial: Edited;
  /** True when the live release is edited, and not an earlier one. */
  isOfLive: boolean;
  /** The live release, else the last one; null until its files are known. */
  newest: Base | null;
  isReadOnly: boolean;
};

/** Edits the files of the next release: a tree, the open ones as tabs, and the acts to publish them. */
export function Editor({ deployment, draftKey, initial, isOfLive, newest, isReadOnly }: EditorProps) {
  const navigate = useNavigate();
  const id = useId();
  const editing = useDraft(draftKey, initial);
  const { draft, open, active, version, change } = editing;
  const [isTreeShown, setIsTreeShown] = useState(draft.changes.size === 0);
  const [dialog, setDialog] = useState<'publish' | 'conflict' | 'discard' | null>(null);
  /** The place that a search led to; choosing another file ends it. */
  const [found, setFound] = useState<{ path: string; line: number } | null>(null);
  const acts = useFilesActs(editing, () => {
    setFound(null);
    setIsTreeShown(false);
  });
  const publishing = usePublishDraft(deployment.id);
  const isPublished = useRef(false);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const preview = usePreview(deployment.id, draft, isPreviewed);
  const left = useLeftEditors(version);
  const count = draft.changes.size;
  const draftHasFiles = count > 0 || draft.base.files.size > 0;
  useLive(editing, newest, isOfLive);
  const isOutdated = newest !== null && newest.releaseId !== draft.base.releaseId;
  const askPublish = () => count > 0 && !isReadOnly && setDialog(isOutdated ? 'conflict' : 'publish');
  useSaveKey(askPublish);

  async function publish() {
    const release = await publishing.publish(draft);
    if (release === null) return;
    await writeEdits(draftKey, null);
    isPublished.current = true;
    navigate(href.release(release.deploymentId, release.number));
  }

  function settle(choice: ConflictChoice) {
    if (newest === null) return;
    if (choice === 'theirs') change(() => ({ base: newest, changes: new Map() }));
    else change((before) => (choice === 'merge' ? rebased(before, newest).draft : replacing(before, newest)));
    setDialog(null);
  }

  return (
    <>
      {editing.isUnstored && (
        <Notice tone="warn" className="mb-4">
          This browser cannot store your changes: a reload would lose them.
        </Notice>
      )}
      <ElsewhereNotice draftKey={draftKey} />
      {isOutdated && count > 0 && (
        <Notice
          tone="warn"
          title={`Release ${newest.number} is live`}
          className="mb-4"
          action={<Button onClick={() => setDialog('conflict')}>Choose</Button>}
        >
          Your changes are based on release {draft.base.number}.
        </Notice>
      )}
      <Card className="flex h-[max(26rem,calc(100dvh-14.5rem))] flex-col overflow-hidden">
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
            {active === null ? (
              <Said>
                <p className="text-ink-muted">Choose a file to edit it.</p>
              </Said>
            ) : (
              <>
                <OpenTabs
                  id={id}
                  open={open}
                  active={active}
                  changes={draft.changes}
                  onShow={acts.open}
                  onClose={editing.close}
                />
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
            )}
          </div>
          {isPreviewed && <PreviewPane preview={preview} active={active} onClose={() => setIsPreviewed(false)} />}
        </div>
        <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line px-3 py-2">
          <p role="status" className="mr-auto text-sm text-ink-muted max-sm:basis-full">
            {count === 0 ? 'No changes' : formatCount(count, 'change')}
            {count > 0 && <span className="max-sm:sr-only">, stored in this browser</span>}
          </p>
          {count > 0 && (
            <Button variant="quiet" onClick={() => setDialog('discard')}>
              Discard
            </Button>
          )}
          {!isPreviewed && !isReadOnly && draftHasFiles && (
            <Button onClick={() => setIsPreviewed(true)}>Preview</Button>
          )}
          <Button variant="primary" disabled={count === 0 || isReadOnly} onClick={askPublish}>
            Publish…
          </Button>
        </div>
      </Card>
      {acts.naming !== null && <NameDialog {...acts.naming} onName={acts.name} onClose={acts.endNaming} />}
      {dialog === 'publish' && (
        <PublishDialog
          draft={draft}
          number={deployment.releaseCount + 1}
          liveNumber={deployment.currentRelease?.number ?? null}
          isBusy={publishing.isBusy}
          problem={publishing.problem}
          onRestore={(path) => change((before) => withRestored(before, path))}
          onPublish={publish}
          onClose={() => {
            publishing.stop();
            setDialog(null);
          }}
        />
      )}
      {dialog === 'conflict' && newest !== null && (
        <ConflictDialog draft={draft} newer={newest} onChoose={settle} onClose={() => setDialog(null)} />
      )}
      <LeaveDialog hasChanges={count > 0} isPublished={isPublished} isUnstored={editing.isUnstored} />
      <ConfirmDialog
        isOpen={dialog === 'discard'}
        onOpenChange={() => setDialog(null)}
        title="Discard your changes?"
        description={discardText(draft.base)}
        confirmLabel="Discard"
        onConfirm={() => {
          change(({ base }) => ({ base, changes: new Map() }));
          setDialog(null);
        }}
      />
    </>
  );
}

function discardText({ releaseId, number }: Base): string {
  return releaseId === null
    ? 'Nothing has been published yet, so all files are removed. This cannot be undone.'
    : `The files go back to those of release ${number}. This cannot be undone.`;
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

/** Moves a draft without changes to the live release. */
function useLive({ draft: { base, changes }, change }: Editing, newest: Base | null, isOfLive: boolean): void {
  const next = isOfLive && changes.size === 0 && newest?.releaseId !== base.releaseId ? newest : null;
  useEffect(() => {
    if (next !== null) change(() => ({ base: next, changes: new Map() }));
  }, [next, change]);
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
