/** The names are apart from the schemas, so that a page that only names states carries no zod. */
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
export const DOMAIN_STATES = ['unverified', 'pending_dns', 'active', 'misconfigured', 'removing'] as const;

/** `issued` with a problem: a renewal has failed, and the certificate is still served. */
export const CERTIFICATE_STATES = [
  'pending',
  'validating',
  'issued',
  'renewing',
  'failed',
  'expired',
  'revoked',
] as const;

/** A license key that nobody has redeemed is `unredeemed`; `transferred`: another key has the rest of its time. */
export const LICENSE_STATES = ['unredeemed', 'redeemed', 'transferred', 'revoked'] as const;

/** The states of a running or queued release; at most one release of a deployment is in one of them. */
export const RUNNING_RELEASE_STATES = ['queued', 'preparing', 'uploading', 'processing', 'verifying'] as const;

/**
 * A deployment or a release in one of these states is shown, and found, as waiting for the person when its primary
 * platform waits. One that is live stays live, whatever waits at a further platform.
 */
export const STATES_THAT_WAIT = [...RUNNING_RELEASE_STATES, 'deploying'] as const;

export const LISTED_DEPLOYMENT_STATES = [...DEPLOYMENT_STATES, 'waiting'] as const;
/** `publishing`: any of the running states, which a list shows by one word; `rolled_back`: the rollbacks alone. */
export const LISTED_RELEASE_STATES = [...RELEASE_STATES, 'waiting', 'publishing', 'rolled_back'] as const;

export type LicenseState = (typeof LICENSE_STATES)[number];
export type CertificateState = (typeof CERTIFICATE_STATES)[number];
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];
export type RunningReleaseState = (typeof RUNNING_RELEASE_STATES)[number];
export type ReleaseState = (typeof RELEASE_STATES)[number];
export type ListedReleaseState = (typeof LISTED_RELEASE_STATES)[number];
export type DomainState = (typeof DOMAIN_STATES)[number];

/** Returns the words, without a full stop, for a domain that is lost (`lostTo`). */
export function lostText(name = 'this domain'): string {
  return `Another account has proved that it owns ${name}`;
}

/** Returns whether a release is running: neither live nor over. A deployment has one such release at most. */
export function isRunningReleaseState<State extends string>(state: State): state is State & RunningReleaseState {
  return (RUNNING_RELEASE_STATES as readonly string[]).includes(state);
}
