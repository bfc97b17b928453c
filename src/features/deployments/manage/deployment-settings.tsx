import { useEffect, useRef, useState } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { HELD_SLUG_DAYS } from '../../../../routers/schemas/limits.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Setting } from '../../../components/fields/setting.tsx';
import { HostName } from '../../../components/host-name.tsx';
import { useVisit } from '../../../lib/browser/location.ts';
import { formatAddress } from '../../../lib/format.ts';
import { type DeploymentAct, DeploymentDialog } from './deployment-dialog.tsx';
import { DestinationList } from './destination-list.tsx';
import { ReadOnlyNotice } from './read-only-notice.tsx';
import { ServingSettings } from './serving-settings.tsx';

export type DeploymentSettingsProps = { deployment: Deployment; isReadOnly: boolean; onRemoved: () => void };

/** Changes name, address and serving of a deployment, or ends it; each change is an act of its own. */
export function DeploymentSettings({ deployment, isReadOnly, onRemoved }: DeploymentSettingsProps) {
  const [act, setAct] = useState<DeploymentAct | null>(null);
  const deletion = useRef<HTMLButtonElement>(null);
  const visit = useVisit();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link leads there again
  useEffect(() => {
    if (location.hash !== '#delete') return;
    // The page arrives at its top first, and what led here gives the focus back.
    setTimeout(() => {
      deletion.current?.scrollIntoView({ block: 'center' });
      deletion.current?.focus({ preventScroll: true });
    });
  }, [visit]);
  const isBusy = deployment.state === 'deploying';
  const isDeleting = deployment.state === 'deleting';
  return (
    <div className="flex flex-col gap-6">
      {isReadOnly && !isDeleting && <ReadOnlyNotice />}
      <Identity deployment={deployment} isReadOnly={isReadOnly || isDeleting} onAct={setAct} />
      <div className="max-w-reading">
        <DestinationList deployment={deployment} isReadOnly={isReadOnly} />
      </div>
      {deployment.destinations.some(({ platform }) => PLATFORMS[platform].isServedHere) && (
        <ServingSettings deployment={deployment} isDisabled={isReadOnly || isDeleting} />
      )}
      <Card className="max-w-reading">
        <Setting
          level={2}
          title="Delete"
          action={
            <Button ref={deletion} variant="danger" disabled={isBusy || isDeleting} onClick={() => setAct('delete')}>
              Delete
            </Button>
          }
        >
          <p>
            {isBusy
              ? 'It can be deleted when the release is done or cancelled.'
              : 'Deletes the deployment with all its releases. You first see what happens to its sites.'}
          </p>
        </Setting>
      </Card>
      <DeploymentDialog deployment={deployment} act={act} onClose={() => setAct(null)} onRemoved={onRemoved} />
    </div>
  );
}

type IdentityProps = { deployment: Deployment; isReadOnly: boolean; onAct: (act: DeploymentAct) => void };

function Identity({ deployment, isReadOnly, onAct }: IdentityProps) {
  const isBusy = deployment.state === 'deploying';
  const { isServedHere, title } = PLATFORMS[deployment.platform];
  return (
    <Card className="max-w-reading divide-y divide-line">
      <Setting
        level={2}
        title="Name"
        action={
          <Button disabled={isReadOnly} onClick={() => onAct('rename')}>
            Rename
          </Button>
        }
      >
        <p className="wrap-anywhere">{deployment.name}</p>
        <p>The name shown in lists. Renaming does not change the address.</p>
      </Setting>
      <Setting
        level={2}
        title="Address"
        action={
          isServedHere && (
            <Button disabled={isReadOnly || isBusy} onClick={() => onAct('address')}>
              Change address
            </Button>
          )
        }
      >
        {deployment.url !== '' && <HostName name={formatAddress(deployment.url)} fit="wrap" />}
        <p>
          {!isServedHere
            ? `${title} gives the site its address${deployment.url === '' ? ' with the first release' : ''}.`
            : isBusy
              ? 'It can be changed when the release is done.'
              : deployment.currentRelease === null
                ? 'You can change it.'
                : `When you change it, we reserve the old one for you for up to ${HELD_SLUG_DAYS} days.`}
        </p>
      </Setting>
    </Card>
  );
}
