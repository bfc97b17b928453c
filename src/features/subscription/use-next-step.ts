import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { paths } from '../../lib/paths/paths.ts';
import { useWaiting } from '../../uploads/waiting-selection.ts';

/** Returns the next step after a plan: the waiting folder, if the plan has room for one more deployment. */
export function useNextStep(allowance: Pick<Allowance, 'remaining'> | null): { to: string; label: string } {
  const { selection } = useWaiting();
  const hasRoom = allowance !== null && (allowance.remaining === null || allowance.remaining > 0);
  return selection !== null && hasRoom
    ? { to: paths.newDeployment, label: 'Publish your folder' }
    : { to: paths.dashboard, label: 'Go to Dashboard' };
}
