import type { RateInput } from '../../routers/schemas/feedback.ts';
import { FEEDBACK_MAIN_APP } from '../../routers/schemas/limits.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import { notFound } from '../errors.ts';
import { DeploymentModel } from '../models/deployment.ts';
import { FeedbackModel } from '../models/feedback.ts';
import { newId } from '../mongo.ts';
import type { ServiceContext } from '../service-context.ts';
import { countCaller } from './rate-limit.ts';

/**
 * Stores a rating of the product, or of one of one's own deployments; signed out of the product only, limited by
 * address. Throws `not_found` for a deployment that is not the caller's,
 * `rate_limited`, and `unauthenticated` for a token that is over: the person is no stranger.
 */
export async function rate(ctx: ServiceContext, input: RateInput): Promise<Done> {
  const accountId = await countCaller(ctx, { name: 'feedback', limit: ctx.providers.limits.feedbackPerHour });
  const deploymentId = input.deploymentId ?? FEEDBACK_MAIN_APP;
  if (deploymentId !== FEEDBACK_MAIN_APP) await requireOwnDeployment(accountId, deploymentId);
  await FeedbackModel.create({
    _id: newId(),
    accountId,
    rating: input.rating,
    comment: input.comment === undefined || input.comment === '' ? null : input.comment,
    deploymentId,
    at: ctx.now(),
  });
  return DONE;
}

async function requireOwnDeployment(accountId: string | null, deploymentId: string): Promise<void> {
  const isOwn = accountId !== null && (await DeploymentModel.exists({ _id: deploymentId, accountId })) !== null;
  if (!isOwn) throw notFound('deployment');
}
