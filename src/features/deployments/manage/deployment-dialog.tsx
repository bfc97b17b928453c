import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';

export type DeploymentAct = 'rename' | 'address' | 'delete';
export type DeploymentDialogProps = {
  deployment: Deployment;
  act: DeploymentAct;
  onClose: () => void;
  /** Called after it is gone: the page of the deployment leads away. */
  onRemoved?: (() => void) | undefined;
};

/** With the rules of names and addresses the dialogs are 11 KB, which a list of deployments does without. */
const OpenDialog = lazyDialog(async () => (await import('./deployment-dialogs.tsx')).OpenDialog);

/** The dialog of the chosen act; null: none. */
export function DeploymentDialog({ act, ...rest }: Omit<DeploymentDialogProps, 'act'> & { act: DeploymentAct | null }) {
  return act !== null && <OpenDialog {...rest} act={act} />;
}
