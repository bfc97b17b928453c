import type { Domain, RecordPlan } from '../../../../routers/schemas/domains.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { writtenName } from '../../../lib/written-name.ts';

type UndoDialogProps = { domain: Domain; plan: RecordPlan; onClose: () => void };

/** Shows which records go and which come back, before a change of records is undone. */
export function UndoDialog({ domain, plan: { planId, zone, changes }, onClose }: UndoDialogProps) {
  const undo = trpc.domains.undoPlan.useMutation({
    onSuccess: ({ state }) => {
      onClose();
      if (state === 'undone') showToast({ title: 'Change undone', description: undoneText(zone, changed) });
    },
    onError: (error) => {
      onClose();
      showToast(errorToast('The change was not undone', error));
    },
  });
  const changed = changes.filter(({ action }) => action !== 'leave');
  const lost = domain.state === 'active' ? lostNames(changed, domain) : [];
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Undo this change?"
      description={
        <>
          {lost.length > 0 && (
            <p className="mb-2">Visitors who type {lost.join(' or ')} will no longer reach your deployment.</p>
          )}
          <ul aria-label="Records" className="flex flex-col gap-1 text-sm">
            {changed.map(({ type, name, before, after }) => (
              <li key={`${type} ${name}`} className="wrap-anywhere">
                <span className="font-mono">
                  {type} {name} {after?.values.join(', ')}
                </span>
                {after !== null && (before === null ? ' is removed' : ' goes back to ')}
                {after === null && ' comes back: '}
                <span className="font-mono">{before?.values.join(', ')}</span>
              </li>
            ))}
          </ul>
        </>
      }
      confirmLabel="Undo"
      busyLabel="Undoing…"
      isBusy={undo.isPending}
      onConfirm={() => undo.mutate({ planId })}
    />
  );
}

type Change = RecordPlan['changes'][number];

/** Returns the names, as people write them, of which a record goes that leads here. */
function lostNames(changed: readonly Change[], domain: Domain): string[] {
  const going = domain.records.filter(({ purpose, type, name, value }) => {
    const isHere = (one: Change) => one.type === type && one.name === name;
    const goes = ({ before, after }: Change) => after !== null && !before?.values.includes(value);
    return purpose === 'route' && changed.some((one) => isHere(one) && goes(one));
  });
  return [...new Set(going.map(({ name }) => writtenName(domain, name)))];
}

function undoneText(zone: string, changed: readonly Change[]): string {
  const list = (some: readonly Change[]) => some.map(({ type, name }) => `${type} ${name}`).join(', ');
  const removed = changed.filter(({ before }) => before === null);
  const restored = changed.filter(({ before }) => before !== null);
  const parts = [
    ...(removed.length > 0 ? [`Removed: ${list(removed)}.`] : []),
    ...(restored.length > 0 ? [`Restored: ${list(restored)}.`] : []),
  ];
  return `Zone ${zone}. ${parts.join(' ')}`;
}
