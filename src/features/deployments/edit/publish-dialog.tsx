import { Undo2 } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { REFUSAL_SENTENCES } from '../../../../routers/rules/uploads/upload-rules.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { IconButton } from '../../../components/icon-button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { noticeDetail } from '../../../lib/notice-detail.ts';
import { type Draft, kindOf } from './draft.ts';
import { addedKeys, allLeftOut, newNotices } from './draft-notices.ts';
import { ChangeMark } from './file-tree.tsx';

export type PublishDialogProps = {
  draft: Draft;
  /** The number that the release will have, and the one that is live until then. */
  number: number;
  liveNumber: number | null;
  isBusy: boolean;
  /** Why the last attempt stopped. */
  problem: string | null;
  onRestore: (path: string) => void;
  onPublish: () => void;
  onClose: () => void;
};

/** Lists what changed, each with a way back, and publishes it. */
export function PublishDialog(props: PublishDialogProps) {
  const { draft, number, liveNumber, isBusy, problem, onRestore, onPublish, onClose } = props;
  const { changes } = draft;
  const list = useRef<HTMLUListElement>(null);
  // What opened it is pressed again to go on; the first button in it would take a change back.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      list.current?.closest('[role="dialog"]')?.querySelector<HTMLElement>('[type="submit"]')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <FormDialog
      title={`Publish release ${number}`}
      description={
        liveNumber === null
          ? 'Your site goes live once every file has been checked.'
          : `Only what changed is sent. Release ${liveNumber} stays live until the new one has been seen to work.`
      }
      submitLabel="Publish"
      busyLabel="Publishing…"
      isBusy={isBusy}
      isStoppable
      onSubmit={(event) => {
        event.preventDefault();
        onPublish();
      }}
      onClose={onClose}
    >
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
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
            <IconButton label={`Undo the change of ${path}`} disabled={isBusy} onClick={() => onRestore(path)}>
              <Undo2 />
            </IconButton>
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}

/** What is left out of the release, what would stop it, and what is to be known of new names. */
function DraftNotices({ draft, problem }: Pick<PublishDialogProps, 'draft' | 'problem'>) {
  const notices = useMemo(() => newNotices(draft), [draft]);
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    let isShown = true;
    // What cannot be read here is read by the server.
    addedKeys(draft).then(
      (found) => isShown && setKeys(found),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [draft]);
  // The server has said it by then.
  const isUnsaid = (path: string) => problem?.startsWith(`${path}: `) !== true;
  return (
    <>
      {keys.filter(isUnsaid).map((path) => (
        <Notice key={path} tone="bad" title={`${path} stops the release`}>
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
