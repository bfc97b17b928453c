import { type ReactNode, useState } from 'react';
import type { CheckedRecord, Domain, RecordPlan } from '../../../../routers/schemas/domains.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useNow } from '../../../components/now.ts';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { isWrittenBy } from './missing-records.ts';

const UndoDialog = lazyDialog(async () => (await import('./undo-dialog.tsx')).UndoDialog);

type RecordPlanNoticeProps = {
  domain: Domain;
  plan: RecordPlan;
  /** The records of the domain that have not been seen. */
  missing: readonly CheckedRecord[];
  /** Plans the records anew, where a change could not be undone. */
  planAgain: ReactNode;
};

/** Shows the state of a change of records: it continues automatically, is done and can be undone, or has failed. */
export function RecordPlanNotice({ domain, plan, missing, planAgain }: RecordPlanNoticeProps) {
  const { state, error, zone } = plan;
  const now = useNow();
  const isSeen = !missing.some((record) => isWrittenBy(plan, record));
  const reason = error === null ? null : [error.message, error.hint].filter((text) => text !== null).join(' ');
  if (state === 'applying' || state === 'undoing') {
    return (
      <Notice
        tone="accent"
        title={state === 'applying' ? 'The records are being written…' : 'The change is being undone…'}
      >
        {reason ?? `It can take a few minutes until all name servers of ${zone} have them. You can leave this page.`}
      </Notice>
    );
  }
  // A failure is over once the records exist, even if somebody else made them.
  if (state === 'failed' && isSeen) return null;
  if (state === 'failed') {
    return (
      <Notice tone="bad" title="The records were not written" action={<TryAgain plan={plan} />}>
        {reason}
      </Notice>
    );
  }
  if (state !== 'applied' || (reason === null && isSettled(domain, plan, now))) return null;
  return (
    <Notice
      tone={toneOf(reason, isSeen)}
      title={reason === null ? 'The records are written' : 'The change was not undone'}
      action={
        <>
          {reason !== null && planAgain}
          <Undo domain={domain} plan={plan} />
        </>
      }
    >
      {reason ?? writtenText(zone, isSeen)}
    </Notice>
  );
}

/** From then on the menu of the domain undoes it. */
const UNDO_OFFERED_MS = 600_000;

function isSettled({ state }: Domain, { changedAt }: RecordPlan, now: Date): boolean {
  return state === 'active' && now.getTime() - changedAt.getTime() > UNDO_OFFERED_MS;
}

function toneOf(reason: string | null, isSeen: boolean): 'bad' | 'quiet' | 'accent' {
  if (reason !== null) return 'bad';
  return isSeen ? 'quiet' : 'accent';
}

function writtenText(zone: string, isSeen: boolean): string {
  return isSeen
    ? `By Fairlead, in the zone ${zone}.`
    : 'Fairlead looks at your name servers until each of them has the records.';
}

function TryAgain({ plan: { planId } }: { plan: RecordPlan }) {
  const apply = trpc.domains.applyPlan.useMutation({
    onError: (error) => showToast(errorToast('The records were not written', error)),
  });
  return (
    <Button isBusy={apply.isPending} busyLabel="Writing…" onClick={() => apply.mutate({ planId })}>
      Try again
    </Button>
  );
}

function Undo({ domain, plan }: Pick<RecordPlanNoticeProps, 'domain' | 'plan'>) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <Button onClick={() => ask(true)}>Undo</Button>
      {isAsked && <UndoDialog domain={domain} plan={plan} onClose={() => ask(false)} />}
    </>
  );
}
