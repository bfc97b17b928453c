import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { lazyDialog } from '../../../components/lazy-dialog.tsx';

export type DeploymentAct = 'rename' | 'address' | 'delete';
export type DeploymentDialogProps = {
  deployment: Deployment;
  act: DeploymentAct;
  onClose: () => void;
  /** After it is gone: the page of the deployment leads away. */
  onRemoved?: (() => void) | undefined;
};

/** With the rules of names and addresses the dialogs weigh 11 KB, which a list of deployments goes without. */
const OpenDialog = lazyDialog(async () => (await import('./deployment-dialogs.tsx')).OpenDialog);

/** The dialog of the act that was chosen; null: of none. */
export function DeploymentDialog({ act, ...rest }: Omit<DeploymentDialogProps, 'act'> & { act: DeploymentAct | null }) {
  return act !== null && <OpenDialog {...rest} act={act} />;
}
