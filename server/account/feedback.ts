import type { RateInput } from '../../routers/schemas/feedback.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { FEEDBACK_MAIN_APP } from '../../routers/schemas/limits.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../context.ts';
import { FeedbackModel } from '../database/models/account/feedback.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { newId } from '../database/mongo.ts';
import { DAY_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { countAgainst, countCaller, countsByAddress } from './rate-limit.ts';

/**
 * Stores a rating of the product, or of one of the caller's deployments; a signed-out person may only rate the
 * product, limited by address. Throws `not_found` for a deployment that is not the caller's, `rate_limited`,
 * `quota_exhausted`, and `unauthenticated` for an expired token: that person is not a stranger.
 */
export async function rate(ctx: ServiceContext, input: RateInput): Promise<Done> {
  const accountId = await countCaller(ctx, { name: 'feedback', limit: ctx.providers.limits.feedbackPerHour });
  const deploymentId = input.deploymentId ?? FEEDBACK_MAIN_APP;
  if (deploymentId !== FEEDBACK_MAIN_APP) await requireOwnDeployment(accountId, deploymentId);
  await requireRoom(ctx, accountId);
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

/**
 * Limits the stored ratings: those within the hourly limit would be more than people read, and each is kept for a
 * year.
 */
async function requireRoom(ctx: ServiceContext, accountId: string | null): Promise<void> {
  const { perAccount, ofStrangers, perAddressADay } = ctx.providers.limits.feedbackRows;
  if (accountId === null) {
    const rule = `One IP address can send ${formatCount(perAddressADay, 'rating')} a day. Log in to send more.`;
    const counts = countsByAddress(ctx, { name: 'feedback-day', limit: perAddressADay, windowMs: DAY_MS, rule });
    for (const count of counts) await countAgainst(count);
  }
  const limit = accountId === null ? ofStrangers : perAccount;
  if ((await FeedbackModel.countDocuments({ accountId }).hint('account_newest').limit(limit)) < limit) return;
  const hint = 'You can write to us with the form on the About page.';
  throw new AppError(
    'quota_exhausted',
    accountId === null
      ? 'Too many ratings were sent without logging in. Log in to send yours.'
      : `An account can send ${formatCount(limit, 'rating')} a year, and you have sent that many.`,
    accountId === null ? {} : { hint },
  );
}

async function requireOwnDeployment(accountId: string | null, deploymentId: string): Promise<void> {
  const isOwn = accountId !== null && (await DeploymentModel.exists({ _id: deploymentId, accountId })) !== null;
  if (!isOwn) throw notFound('deployment');
}
