import type { ChooseWritableDomainsInput } from '../../routers/schemas/domains.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { PLANS } from '../../routers/schemas/plans.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { DomainModel } from '../database/models/domains/domain.ts';
import { transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { currentPlan } from '../plans/quota.ts';
import { domainChoice, hasChosen, limitKept, requireWritable } from '../plans/subscription/writable.ts';

/**
 * Chooses which domains of a deployment can be changed when the plan allows it fewer than there are, once a month.
 * Throws `not_found`, `plan_required`, and `conflict` when all of them can be changed, when more are named than the
 * plan allows, and for a second choice in one month.
 */
export async function chooseWritableDomains(
  ctx: AccountContext,
  { deploymentId, domainIds }: ChooseWritableDomainsInput,
): Promise<Done> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  await transaction(async (session) => {
    // This comes first: of two simultaneous choices one conflicts on the account, runs again and sees the other.
    await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
    const of = { accountId, deploymentId, state: { $ne: 'removing' as const } };
    const own = await DomainModel.find(of, { chosenAt: 1, chosenLimit: 1 }).session(session).lean();
    if (!domainIds.every((id) => own.some(({ _id }) => _id === id))) throw notFound('domain');
    await requireWritable(session, ctx, deploymentId);
    const { title, customDomains: limit } = PLANS[await currentPlan(ctx, session)];
    if (limit === null || own.length <= limit) {
      throw new AppError('conflict', `${title} allows all domains of this deployment: each of them can be changed.`);
    }
    if (new Set(domainIds).size > limit) {
      throw new AppError('conflict', `${title} allows ${formatCount(limit, 'domain')} for a deployment.`);
    }
    const choice = domainChoice(own);
    if (hasChosen(choice, limit, now)) {
      throw new AppError('conflict', 'You have already chosen the domains for this month.', {
        hint: 'Choose again next month, or choose a larger plan under Pricing & Trial.',
      });
    }
    const chosen = { chosenAt: now, chosenLimit: limitKept(choice, limit, now) };
    await DomainModel.updateMany(of, { $set: { chosenAt: null, chosenLimit: null } }, { session });
    await DomainModel.updateMany({ ...of, _id: { $in: domainIds } }, { $set: chosen }, { session });
  });
  return DONE;
}
