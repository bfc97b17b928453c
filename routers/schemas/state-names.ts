/** The names stand apart from the schemas, so that a page that only names states carries no zod. */
export const DEPLOYMENT_STATES = ['draft', 'deploying', 'live', 'failed', 'deleting'] as const;
export const RELEASE_STATES = [
  'queued',
  'preparing',
  'uploading',
  'processing',
  'verifying',
  'live',
  'superseded',
  'failed',
  'cancelled',
] as const;

export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];
export type ReleaseState = (typeof RELEASE_STATES)[number];

/** The states in which somebody works on a release, or will; at most one release of a deployment is in one of them. */
export const RUNNING_RELEASE_STATES = ['queued', 'preparing', 'uploading', 'processing', 'verifying'] as const;

/** Returns whether a release is on its way: neither live nor over. A deployment has one such release at most. */
export function isRunningReleaseState(state: ReleaseState): boolean {
  return (RUNNING_RELEASE_STATES as readonly ReleaseState[]).includes(state);
}
