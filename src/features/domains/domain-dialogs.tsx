import { useState } from 'react';
import { seenRecords, valuesBeside } from '../../../routers/rules/records-to-delete.ts';
import type { Domain, RecordPlan, RemovedDomain } from '../../../routers/schemas/domains.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { errorToast } from '../../api/errors.ts';
import { isNothing } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { deploymentLabel } from '../../lib/deployment-label.ts';
import { writtenName } from '../../lib/written-name.ts';
import type { NamedDeployment } from './domain-list.tsx';
import type { DomainDialogProps } from './domain-menu.tsx';

/** Moves a domain to another deployment, or removes it. */
export function DomainDialog({ act, ...rest }: DomainDialogProps) {
  return act === 'move' ? <MoveDialog {...rest} /> : <RemoveDialog {...rest} />;
}

type DialogProps = { domain: Domain; onClose: () => void };

function MoveDialog({ domain, deployments, onClose }: DialogProps & Pick<DomainDialogProps, 'deployments'>) {
  // The domain has moved already while the dialog still says that it is being moved.
  const [start] = useState(domain);
  const others = deployments.filter(({ id }) => id !== start.deploymentId);
  const [deploymentId, choose] = useState(others[0]?.id);
  const from = deployments.find(({ id }) => id === start.deploymentId);
  const to = others.find(({ id }) => id === deploymentId);
  const move = trpc.domains.update.useMutation({
    onSuccess: (moved) => {
      onClose();
      const now = deployments.find(({ id }) => id === moved.deploymentId);
      const place = now === undefined ? 'the other deployment' : deploymentLabel(now);
      const name = writtenName(domain);
      const description =
        moved.state === 'active'
          ? `${name} points to ${place} now.`
          : `${name} belongs to ${place} now, and points there once the records shown are set.`;
      showToast({ title: 'Domain moved', description });
    },
    onError: (error) => showToast(errorToast('Could not move the domain', error)),
  });
  return (
    <FormDialog
      title={`Move ${writtenName(domain)}`}
      description={moveText(start, from, to)}
      submitLabel="Move"
      busyLabel="Moving…"
      isBusy={move.isPending}
      onSubmit={() => {
        if (deploymentId !== undefined) move.mutate({ domainId: domain.id, deploymentId });
      }}
      onClose={onClose}
    >
      <Field label="Deployment">
        <Select
          value={deploymentId}
          onValueChange={choose}
          options={others.map(({ id, name, slug, url }) => ({
            value: id,
            label: deploymentLabel({ name, slug, url }),
          }))}
          className="w-full"
        />
      </Field>
    </FormDialog>
  );
}

/** Says whose a domain is, and whose it will be; a deployment beyond those that are offered has no name here. */
function moveText({ state }: Domain, from: NamedDeployment | undefined, to: NamedDeployment | undefined): string {
  const verb = state === 'active' ? 'points' : 'belongs';
  const before =
    from === undefined ? `After the move it ${verb}` : `It ${verb} to ${deploymentLabel(from)} now, and after the move`;
  const areHere = [from, to].every((one) => one !== undefined && PLATFORMS[one.platform].isServedHere === true);
  const records = areHere
    ? 'Its records stay as they are.'
    : 'It may need other records: after the move, set the ones shown.';
  return `${before} to ${to === undefined ? 'the other deployment' : deploymentLabel(to)}. ${records}`;
}

/** One that is misconfigured was reached before, and may be reached by some still. */
function isReached({ state }: Domain): boolean {
  return state === 'active' || state === 'misconfigured';
}

function RemoveDialog({ domain, onClose, onRemoved }: DialogProps & Pick<DomainDialogProps, 'onRemoved'>) {
  const [isChecked, setChecked] = useState(true);
  const remove = trpc.domains.remove.useMutation({
    onSuccess: (removed) => {
      onClose();
      showToast({ title: 'Domain removed', description: `Fairlead no longer serves ${writtenName(domain)}.` });
      onRemoved(removed);
    },
    onError: (error) => {
      onClose();
      // Another tab, or a call whose answer was lost, has removed it.
      if (isNothing(error)) onRemoved(null);
      else showToast(errorToast('The domain was not removed', error));
    },
  });
  const { data: plan, isLoading } = trpc.domains.lastPlan.useQuery({ domainId: domain.id });
  const connections = trpc.connections.list.useQuery();
  const isConnected = connections.data?.items.some(({ id }) => id === plan?.connectionId) === true;
  const isWritten = plan?.state === 'applied' && isConnected;
  const deletesRecords = isWritten && isChecked;
  const left = seenRecords(domain.records).filter((record) => !(deletesRecords && isIn(plan, record)));
  // What it would delete is said before anybody can press its button.
  if (isLoading || connections.isLoading) return null;
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Remove ${writtenName(domain)}?`}
      description={
        <>
          <p>
            {isReached(domain) && `Visitors who type ${writtenName(domain)} will no longer reach your deployment. `}
            To add the domain again, you have to prove with a new record that it is yours.
          </p>
          {isWritten && (
            <div className="mt-2">
              <Checkbox
                label="Delete the records that Fairlead wrote at your DNS provider, except CAA records and any that others changed."
                isChecked={isChecked}
                onChange={setChecked}
              />
            </div>
          )}
          {left.length > 0 && <LeftRecords records={left} />}
        </>
      }
      confirmLabel="Remove"
      busyLabel="Removing…"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ domainId: domain.id, ...(deletesRecords && { deletesRecords }) })}
    />
  );
}

function LeftRecords({ records }: { records: RemovedDomain['deleteFirst'] }) {
  return (
    <>
      <p className="mt-2">
        First delete these records at your DNS provider, so that nobody else can put a site on this domain:
      </p>
      <ul className="mt-2 flex flex-col gap-1 font-mono text-sm">
        {records.map(({ type, name, value }) => (
          <li key={`${type} ${name} ${value}`} className="wrap-anywhere">
            {type} {name} {value}
          </li>
        ))}
      </ul>
    </>
  );
}

function isIn({ changes }: RecordPlan, { type, name, value }: RemovedDomain['deleteFirst'][number]): boolean {
  return changes.some(
    ({ action, before, after, ...one }) =>
      action !== 'leave' && one.type === type && one.name === name && valuesBeside(after, before).includes(value),
  );
}
