import * as z from 'zod/mini';
import {
  DEPLOYMENT_STATES,
  DOMAIN_STATES,
  LISTED_DEPLOYMENT_STATES,
  LISTED_RELEASE_STATES,
  RELEASE_STATES,
} from './state-names.ts';

/** The allowed moves from state to state. A move that is not in its table does not happen. */
export const DEPLOYMENT_MOVES = {
  draft: ['deploying', 'deleting'],
  deploying: ['live', 'failed', 'draft'],
  live: ['deploying', 'deleting'],
  failed: ['deploying', 'deleting'],
  deleting: [],
} as const;

export const RELEASE_MOVES = {
  queued: ['preparing', 'failed', 'cancelled'],
  preparing: ['uploading', 'failed', 'cancelled'],
  uploading: ['processing', 'failed', 'cancelled'],
  processing: ['verifying', 'failed', 'cancelled'],
  // back to `superseded`: a roll back that could not be seen live.
  verifying: ['live', 'failed', 'cancelled', 'superseded'],
  live: ['superseded'],
  superseded: ['verifying'],
  failed: [],
  cancelled: [],
} as const;

/**
 * Back to `unverified`: the name changed hands, and another account has proved it since. Back to `pending_dns`: its
 * deployment is served elsewhere from now on, with other records.
 */
export const DOMAIN_MOVES = {
  unverified: ['pending_dns', 'removing'],
  pending_dns: ['active', 'unverified', 'removing'],
  active: ['misconfigured', 'pending_dns', 'unverified', 'removing'],
  misconfigured: ['active', 'pending_dns', 'unverified', 'removing'],
  removing: [],
} as const;

/** A failed renewal goes back to `issued` while the previous certificate is served. */
export const CERTIFICATE_MOVES = {
  pending: ['validating', 'failed'],
  validating: ['issued', 'failed'],
  issued: ['renewing', 'expired', 'revoked'],
  renewing: ['issued', 'expired', 'revoked'],
  failed: ['validating'],
  expired: ['validating'],
  revoked: ['validating'],
} as const;

export const PAYMENT_MOVES = {
  pending: ['paid', 'failed', 'expired'],
  paid: ['refunded'],
  failed: [],
  expired: [],
  /** The bank sends the money back to us. */
  refunded: ['paid'],
} as const;

export const deploymentStateSchema = z.enum(DEPLOYMENT_STATES);
/** The way in which the files of a release arrived. */
export const releaseSourceSchema = z.enum(['folder', 'zip', 'retry', 'editor']);
export const releaseStateSchema = z.enum(RELEASE_STATES);
export const listedDeploymentStateSchema = z.enum(LISTED_DEPLOYMENT_STATES);
export const listedReleaseStateSchema = z.enum(LISTED_RELEASE_STATES);
export const domainStateSchema = z.enum(DOMAIN_STATES);
/**
 * The states of one platform that a deployment is published on; `waiting`: a person has to finish there; `removing`:
 * it is being removed there; `removed`: it is gone there, while the rest of a deleted deployment is not yet.
 */
export const destinationStateSchema = z.enum([
  'idle',
  'publishing',
  'waiting',
  'live',
  'failed',
  'removing',
  'removed',
]);
export const subscriptionStatusSchema = z.enum(['trialing', 'active', 'past_due', 'canceled', 'expired']);

export const paymentStateSchema = z.enum(['pending', 'paid', 'failed', 'expired', 'refunded']);

/** The steps of a release, in order; a rollback only has the last one. */
export const RELEASE_STEPS = ['preparing', 'uploading', 'processing', 'verifying'] as const;
export const releaseStepNameSchema = z.enum(RELEASE_STEPS);
export const stepStateSchema = z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']);

export type ReleaseStepName = z.infer<typeof releaseStepNameSchema>;
export type StepState = z.infer<typeof stepStateSchema>;

/** Returns whether the table allows the move; the same table guards the server's conditional updates. */
export function mayMove<State extends string>(moves: Record<State, readonly State[]>, from: State, to: State): boolean {
  return moves[from].includes(to);
}
