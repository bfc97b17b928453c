import { DEPLOYMENT_NAME_MAX } from '../../../../routers/schemas/limits.ts';
import { HIDDEN_CHARACTERS } from '../../../../routers/schemas/primitives.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';

/** Loose files have no folder that could name the deployment. */
export const UNNAMED = 'My website';

/** Makes a valid name from the name of a folder; '' without one. */
export function nameFromFolder(selection: Selection | null): string {
  // The cut comes first: a joiner or half of a pair that it leaves at the end is removed as well.
  return (selection?.name ?? '').trim().slice(0, DEPLOYMENT_NAME_MAX).replace(HIDDEN_CHARACTERS, '').trim();
}
