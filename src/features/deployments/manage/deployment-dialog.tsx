import { Suspense } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { lazyComponent } from '../../../lib/lazy-component.tsx';

export type DeploymentAct = 'rename' | 'address' | 'delete';
export type DeploymentDialogProps = {
  deployment: Deployment;
  act: DeploymentAct;
  onClose: () => void;
  /** After it is gone: the page of the deployment leads away. */
  onRemoved?: (() => void) | undefined;
};

/** With the rules of names and addresses the dialogs weigh 11 KB, which a list of deployments goes without. */
const dialogs = lazyComponent(async () => (await import('./deployment-dialogs.tsx')).OpenDialog);

/** The dialog of the act that was chosen; null: of none. */
export function DeploymentDialog({ act, ...rest }: Omit<DeploymentDialogProps, 'act'> & { act: DeploymentAct | null }) {
  return <Suspense fallback={null}>{act !== null && <dialogs.Component {...rest} act={act} />}</Suspense>;
}
