import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { paths } from '../../lib/paths/paths.ts';
import { useWaiting } from '../../uploads/waiting-selection.ts';
import { useWanted } from './wanted.ts';

/**
 * Returns the next step after a plan: where somebody was going, or the waiting folder, if the plan has room for one
 * more deployment.
 */
export function useNextStep(allowance: Pick<Allowance, 'remaining'> | null): { to: string; label: string } {
  const { selection } = useWaiting();
  const wanted = useWanted();
  const hasRoom = allowance !== null && (allowance.remaining === null || allowance.remaining > 0);
  if (wanted !== null) return { to: wanted, label: 'Continue' };
  return selection !== null && hasRoom
    ? { to: paths.newDeployment, label: 'Publish your folder' }
    : { to: paths.dashboard, label: 'Go to Dashboard' };
}
