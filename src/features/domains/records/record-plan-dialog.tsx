import { useState } from 'react';
import type { Domain, RecordPlan } from '../../../../routers/schemas/domains.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { errorDetails, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { Notice } from '../../../components/notice.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';

type RecordPlanDialogProps = {
  domain: Domain;
  plan: RecordPlan;
  /** True while the zone is read again for a new plan. */
  isPlanning: boolean;
  onBegun: (plan: RecordPlan) => void;
  onOutdated: () => void;
  onClose: () => void;
};

/** The zone was changed since, or another tab has made a newer plan: the shown plan would not be written. */
const OUTDATED: ReadonlySet<string | undefined> = new Set(['not_found', 'plan_outdated', 'records_changed']);

/** Shows each record before and after the change, then writes them as one change. */
export function RecordPlanDialog({ domain, plan, isPlanning, onBegun, onOutdated, onClose }: RecordPlanDialogProps) {
  const apply = trpc.domains.applyPlan.useMutation({
    onSuccess: onBegun,
    onError: (error) => {
      if (OUTDATED.has(errorDetails(error).code)) {
        onOutdated();
        showToast({
          title: 'The records have changed',
          description: 'Nothing was written. These are the changes needed now.',
        });
        return;
      }
      onClose();
      showToast(errorToast('The records were not written', error));
    },
  });
  const [left, setLeft] = useState<readonly string[]>([]);
  const open = plan.changes.filter(({ action }) => action !== 'leave');
  const chosen = open.filter(({ name }) => !left.includes(name));
  const isRemoving = chosen.some(({ action }) => action === 'remove');
  // A conflict that blocks a name leaves no change in the plan; the others are warnings.
  const isBlocked = open.length === 0;
  return (
    <FormDialog
      title={`Records for ${domain.name}`}
      description="Nothing is written until you agree, and the change can be undone. Mail records are never touched."
      submitLabel={
        isBlocked
          ? 'Close'
          : isRemoving
            ? `Make ${formatCount(chosen.length, 'change')}`
            : `Write ${formatCount(chosen.length, 'record')}`
      }
      busyLabel={isPlanning ? 'Reading the zone…' : 'Writing…'}
      isBusy={apply.isPending || isPlanning}
      isReady={isBlocked || chosen.length > 0}
      onSubmit={() =>
        isBlocked ? onClose() : apply.mutate({ planId: plan.planId, ...(left.length > 0 && { leave: [...left] }) })
      }
      onClose={onClose}
    >
      {isBlocked && plan.conflicts.length === 0 && (
        <Notice tone="quiet" title="Your provider already has the records">
          It can take a moment until they are seen. If they never are, your domain does not use the name servers of this
          provider: enter these name servers at your registrar.
        </Notice>
      )}
      <RecordPlanView
        plan={plan}
        left={left}
        onChoose={(name, isChosen) => setLeft(isChosen ? left.filter((one) => one !== name) : [...left, name])}
      />
      {!isBlocked && chosen.length === 0 && (
        <p role="status" className="text-sm text-ink-muted">
          No change is chosen. Choose at least one.
        </p>
      )}
    </FormDialog>
  );
}

const ACTIONS = { add: 'Add', replace: 'Replace', remove: 'Remove', leave: 'Already right' } as const;

/** Records of one name need one another (a CNAME stands alone): they are chosen together. */
type Choice = { left: readonly string[]; onChoose: (name: string, isChosen: boolean) => void };

function RecordPlanView({ plan: { zone, changes, conflicts }, ...choice }: { plan: RecordPlan } & Choice) {
  const right = changes.filter(({ action }) => action === 'leave');
  const open = changes.filter(({ action }) => action !== 'leave');
  return (
    <>
      {conflicts.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warn">
          {message}
        </Notice>
      ))}
      <p className="text-sm text-ink-muted">
        In the zone <span className="font-mono">{zone}</span>:
      </p>
      {open.length > 0 && <Changes changes={open} choice={choice} />}
      {right.length > 0 && (
        <details>
          <summary className="cursor-pointer rounded-tight text-sm text-ink-muted touch:py-2">
            {formatCount(right.length, 'record')} already right
          </summary>
          <Changes changes={right} />
        </details>
      )}
    </>
  );
}

function Changes({ changes, choice }: { changes: RecordPlan['changes']; choice?: Choice }) {
  return (
    <ul className="mt-1 divide-y divide-line rounded-control border border-line">
      {changes.map(({ action, type, name, before, after }) => (
        <li key={`${type} ${name}`} className="flex flex-col gap-1 px-3 py-2.5">
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <ChangeName title={`${type} ${name}`} name={name} choice={choice} />
            <span className="text-xs text-ink-muted">{ACTIONS[action]}</span>
          </p>
          {before !== null && action !== 'leave' && (
            <p className="font-mono text-sm wrap-anywhere text-ink-muted line-through">{before.values.join(', ')}</p>
          )}
          {after !== null && <p className="font-mono text-sm wrap-anywhere">{after.values.join(', ')}</p>}
          {name.startsWith('_validation-persist.') && (
            <p className="text-sm text-ink-muted">Lets the certificate be renewed without changing records again.</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function ChangeName({ title, name, choice }: { title: string; name: string; choice: Choice | undefined }) {
  const shown = <span className="font-mono text-sm wrap-anywhere">{title}</span>;
  if (choice === undefined) return shown;
  const { left, onChoose } = choice;
  return <Checkbox label={shown} isChecked={!left.includes(name)} onChange={(isChosen) => onChoose(name, isChosen)} />;
}
