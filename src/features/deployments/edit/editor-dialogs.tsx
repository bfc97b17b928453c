import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { useNavigate } from '../../../lib/browser/location.ts';
import { href } from '../../../lib/paths/paths.ts';
import { lostAtPrimary } from '../../../lib/primary-destination.ts';
import type { ConflictChoice } from './conflict-dialog.tsx';
import { type Base, type Draft, rebased, replacing, withRestored } from './draft.ts';
import { LeaveDialog } from './leave-dialog.tsx';
import type { Editing } from './use-draft.ts';
import { usePublishDraft } from './use-publish-draft.ts';

const ConflictDialog = lazyDialog(async () => (await import('./conflict-dialog.tsx')).ConflictDialog);
const PublishDialog = lazyDialog(async () => (await import('./publish-dialog.tsx')).PublishDialog);

export type EditorDialog = 'publish' | 'conflict' | 'discard';

export type EditorDialogsProps = {
  deployment: Deployment;
  editing: Editing;
  /**
   * A release that the changes are not based on, and that must be decided about before they are published; undefined
   * until it is known whether there is one.
   */
  newer: Base | null | undefined;
  /** The open one, apart from the question before leaving. */
  dialog: EditorDialog | null;
  onClose: () => void;
};

/** Asks what becomes of the changes: a release, a place among those of another release, or nothing. */
export function EditorDialogs({ deployment, editing, newer, dialog, onClose }: EditorDialogsProps) {
  const navigate = useNavigate();
  const { draft, change, isUnstored, isPublished } = editing;
  const publishing = usePublishDraft(deployment.id, editing.end);
  // While it is sending it stays, whatever goes live meanwhile: it alone can stop that.
  const isPublishShown = dialog === 'publish' && (!newer || publishing.isBusy);

  async function publish() {
    const release = await publishing.publish(draft);
    if (release !== null) navigate(href.release(release.deploymentId, release.number));
  }

  function settle(choice: ConflictChoice) {
    if (!newer) return;
    const settled = settledOn(newer, choice, draft);
    // After a press on Publish its dialog follows, with a list of the changes.
    const goesOn = dialog === 'publish' && settled.changes.size > 0;
    if (!change(() => settled) || !goesOn) onClose();
  }

  return (
    <>
      {isPublishShown && (
        <PublishDialog
          draft={draft}
          number={deployment.releaseCount + 1}
          liveNumber={deployment.currentRelease?.number ?? null}
          isBusy={publishing.isBusy}
          isUndecided={newer === undefined}
          problem={publishing.problem}
          lost={lostAtPrimary(deployment)}
          onRestore={(path) => change((before) => withRestored(before, path))}
          onPublish={publish}
          onClose={() => {
            publishing.stop();
            onClose();
          }}
        />
      )}
      {(dialog === 'conflict' || dialog === 'publish') && newer && !isPublishShown && (
        <ConflictDialog draft={draft} newer={newer} onChoose={settle} onClose={onClose} />
      )}
      <LeaveDialog hasChanges={draft.changes.size > 0} isPublished={isPublished} isUnstored={isUnstored} />
      <ConfirmDialog
        isOpen={dialog === 'discard'}
        onOpenChange={onClose}
        title="Discard your changes?"
        description={discardText(draft.base)}
        confirmLabel="Discard"
        onConfirm={() => {
          change(({ base }) => ({ base, changes: new Map() }));
          onClose();
        }}
      />
    </>
  );
}

function settledOn(newer: Base, choice: ConflictChoice, draft: Draft): Draft {
  if (choice === 'theirs') return { base: newer, changes: new Map() };
  return choice === 'merge' ? rebased(draft, newer).draft : replacing(draft, newer);
}

function discardText({ releaseId }: Base): string {
  return releaseId === null
    ? 'Nothing has been published yet, so all files are removed. This cannot be undone.'
    : 'Your changes are lost, and the editor shows the files that are live. This cannot be undone.';
}
