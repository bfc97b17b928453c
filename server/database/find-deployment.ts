import type { AccountContext } from '../context.ts';
import { notFound } from '../lib/errors.ts';
import { type DeploymentDoc, DeploymentModel } from './models/publishing/deployment.ts';

/** Returns the account's own document, or throws `not_found`. Joins a transaction that is under way. */
export async function findDeployment(ctx: AccountContext, deploymentId: string): Promise<DeploymentDoc> {
  const doc = await DeploymentModel.findOne({ _id: deploymentId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('deployment');
  return doc;
}
