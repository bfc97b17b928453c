import { Undo2 } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { entryPageIn } from '../../../../routers/rules/uploads/entry-page.ts';
import { REFUSAL_SENTENCES } from '../../../../routers/rules/uploads/upload-rules.ts';
import type { LostConnection } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { IconButton } from '../../../components/icon-button.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { noticeDetail } from '../../../lib/notice-detail.ts';
import { removalBetween, removalQuestion } from '../../../uploads/compare.ts';
import { entryQuestion } from '../select/entry-question.tsx';
import type { PublishQuestion } from '../select/publish-question.tsx';
import { type Draft, filesOf, kindOf } from './draft.ts';
import { addedKeys, allLeftOut, newNotices } from './draft-notices.ts';
import { ChangeMark } from './files/file-tree.tsx';

export type PublishDialogProps = {
  draft: Draft;
  /** The number of the new release, and of the one that is live until then. */
  number: number;
  liveNumber: number | null;
  isBusy: boolean;
  /** True while it is not known whether a newer release has to be asked about first. */
  isUndecided: boolean;
  /** The reason why the last attempt stopped. */
  problem: string | null;
  /** The connection that prevents it. */
  lost: LostConnection | undefined;
  onRestore: (path: string) => void;
  onPublish: () => void;
  onClose: () => void;
};

/** Lists the changes, each with an undo, and publishes them. */
export function PublishDialog(props: PublishDialogProps) {
  const { draft, number, liveNumber, isBusy, isUndecided, problem, lost, onRestore, onPublish, onClose } = props;
  const obstacle = problem ?? lost?.message ?? null;
  const { changes } = draft;
  const questions = useMemo(() => questionsOf(draft, liveNumber), [draft, liveNumber]);
  const isAsked = questions.length > 0;
  const isLoss = questions.some(({ variant }) => variant !== 'primary');
  const list = useRef<HTMLUListElement>(null);
  useFocusOnOpening(list, isLoss);
  return (
    <FormDialog
      title={`Publish release ${number}`}
      description={
        liveNumber === null
          ? 'Your site goes live once every file has been checked.'
          : `Only what changed is sent. Release ${liveNumber} stays live until the new one has been checked.`
      }
      submitLabel={isAsked ? 'Publish anyway' : 'Publish'}
      busyLabel={isUndecided && !isBusy ? 'Checking…' : 'Publishing…'}
      isBusy={isBusy || isUndecided}
      isReady={lost?.connectionId !== null}
      variant={lost !== undefined ? 'secondary' : isLoss ? 'danger' : 'primary'}
      isStoppable
      onSubmit={(event) => {
        event.preventDefault();
        onPublish();
      }}
      onClose={onClose}
    >
      {obstacle !== null && (
        <Notice tone="bad" action={lost && <MendConnection lost={lost} />}>
          <LinkedText text={obstacle} />
        </Notice>
      )}
      {questions.map(({ title, description }) => (
        <Notice key={title} tone="warn" title={title}>
          {description}
        </Notice>
      ))}
      <DraftNotices draft={draft} problem={problem} />
      <ul
        ref={list}
        aria-label={formatCount(changes.size, 'change')}
        className="divide-y divide-line rounded-card border border-line"
      >
        {[...changes].map(([path, change]) => (
          <li key={path} className="flex min-h-10 items-center gap-2 py-1 pr-1 pl-3">
            <span className="min-w-0 truncate font-mono text-sm" title={path}>
              {path}
            </span>
            <ChangeMark kind={kindOf(change)} />
            <IconButton label={`Undo the changes to ${path}`} disabled={isBusy} onClick={() => onRestore(path)}>
              <Undo2 />
            </IconButton>
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}

/**
 * Focuses Publish, so that pressing again goes on, or Cancel when something is lost; the first button inside would undo
 * a change.
 */
function useFocusOnOpening(inside: RefObject<HTMLElement | null>, isLoss: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is undone inside does not move the focus
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const publish = inside.current?.closest('[role="dialog"]')?.querySelector<HTMLElement>('[type="submit"]');
      const cancel = publish?.previousElementSibling;
      if (isLoss && cancel instanceof HTMLElement) cancel.focus();
      else publish?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
}

/**
 * Returns the questions before most of the live files are removed, or no start page is left: the same that are asked of
 * a folder.
 */
function questionsOf(draft: Draft, liveNumber: number | null): PublishQuestion[] {
  const files = filesOf(draft);
  const isReplacing = liveNumber !== null && liveNumber === draft.base.number;
  const removal = isReplacing ? removalQuestion(removalBetween(draft.base.files, files), liveNumber) : null;
  const isLost = liveNumber !== null && entryPageIn(draft.base.files) !== null;
  const entry: PublishQuestion = { ...entryQuestion({ buildFolder: null }), variant: isLost ? 'danger' : 'primary' };
  return [...(entryPageIn(files) === null ? [entry] : []), ...(removal === null ? [] : [removal])];
}

/** Shows the files that are left out, the obstacle, and the notices about new names. */
function DraftNotices({ draft, problem }: Pick<PublishDialogProps, 'draft' | 'problem'>) {
  const notices = useMemo(() => newNotices(draft), [draft]);
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    let isShown = true;
    // The server reads files that cannot be read here.
    addedKeys(draft).then(
      (found) => isShown && setKeys(found),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [draft]);
  // The server has reported it by then.
  const isUnsaid = (path: string) => problem?.startsWith(`${path}: `) !== true;
  return (
    <>
      {keys.filter(isUnsaid).map((path) => (
        <Notice key={path} tone="bad" title={`${path} cannot be published`}>
          {REFUSAL_SENTENCES.private_key}
        </Notice>
      ))}
      {allLeftOut(draft).map(({ path, reason }) => (
        <Notice key={path} tone="warn" title={`${path} is left out`}>
          {reason}
        </Notice>
      ))}
      {notices.map((notice) => (
        <Notice key={notice.code} tone="warn" title={notice.message}>
          {noticeDetail(notice)}
        </Notice>
      ))}
    </>
  );
}
