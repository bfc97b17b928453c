import type { ClientSession } from 'mongoose';
import type { CreateDeploymentInput, Deployment } from '../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { type Count, countAgainst, requireRoomFor } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { IdempotencyKeyModel } from '../../database/models/idempotency-key.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { isDuplicateKey, newId, transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { claimDeploymentSlot } from '../../plans/quota.ts';
import { requireRoomForRow } from '../uploads/index.ts';
import { type NewDestination, resolveDestination } from './destination.ts';
import { toDeployment } from './read.ts';
import { listKey } from './search.ts';
import { freeSlug, wantedNameOf } from './slug.ts';

/** Two creations may choose the same free address at once; the one that lost chooses again. */
const ADDRESS_ATTEMPTS = 5;

/**
 * Creates a deployment within the cap of the plan, in one transaction with its address, its idempotency key and its
 * event. A repeated `idempotencyKey` within 24 hours gets the first answer again. Throws the errors of
 * `resolveDestination`, `deployment_limit_reached`, `conflict` when the deployment of the first answer has been
 * deleted since, `rate_limited` for an account that creates very many, and `quota_exhausted` for one that has very
 * many.
 */
export async function createDeployment(ctx: AccountContext, input: CreateDeploymentInput): Promise<Deployment> {
  const destination = await resolveDestination(ctx, input);
  for (let attempt = 1; ; attempt += 1) {
    const earlier = await earlierAnswer(ctx, input);
    if (earlier !== null) return earlier;
    if (attempt === 1) {
      await requireRoomForRow(ctx);
      await countAgainst(creationsOf(ctx));
    }
    try {
      const doc = await transaction((session) => insertDeployment(session, ctx, input, destination));
      return await toDeployment(ctx, doc);
    } catch (error) {
      // A concurrent call took the address, or the idempotency key.
      if (!isDuplicateKey(error) || attempt === ADDRESS_ATTEMPTS) throw error;
    }
  }
}

/** Ends a transaction that was only a trial. */
class TakenBack extends Error {}

/**
 * Creates a deployment in a transaction that is rolled back, so that nobody sees it, and returns the address that it
 * would get now. Throws the errors of `createDeployment`.
 */
export async function tryCreation(ctx: AccountContext, input: CreateDeploymentInput): Promise<{ slug: string }> {
  const destination = await resolveDestination(ctx, input);
  await requireRoomForRow(ctx);
  await requireRoomFor(creationsOf(ctx));
  let slug = '';
  await transaction(async (session) => {
    ({ slug } = await insertDeployment(session, ctx, input, destination));
    throw new TakenBack();
  }).catch((error: unknown) => {
    if (!(error instanceof TakenBack)) throw error;
  });
  return { slug };
}

function creationsOf({ actor, providers }: AccountContext): Count {
  const limit = providers.limits.deploymentsPerHour;
  const rule = `An account can create ${formatCount(limit, 'deployment')} an hour.`;
  return { name: 'added-deployments', key: actor.accountId, limit, windowMs: HOUR_MS, rule };
}

async function insertDeployment(
  session: ClientSession,
  ctx: AccountContext,
  input: CreateDeploymentInput,
  destination: NewDestination,
): Promise<DeploymentDoc> {
  const { accountId } = ctx.actor;
  const id = newId();
  // Before the cap: a second click on the last slot of a plan repeats the first one and is not one too many.
  if (input.idempotencyKey !== undefined) {
    const key = { _id: newId(), accountId, key: input.idempotencyKey, deploymentId: id, createdAt: ctx.now() };
    await IdempotencyKeyModel.create([key], { session });
  }
  if (!PLATFORMS[input.platform].isSimulated) await claimDeploymentSlot(session, ctx);
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId: id });
  const { name } = input;
  const slug = await freeSlug(session, accountId, name);
  const fields = {
    _id: id,
    accountId,
    name,
    nameKey: listKey({ name, slug }),
    slug,
    platform: input.platform,
    primaryId: destination._id,
    destinations: [{ ...destination, wantedName: wantedNameOf({ name, slug }) }],
  };
  const [doc] = await DeploymentModel.create([fields], { session });
  if (doc === undefined) throw new Error('An insert gave no document.');
  return doc;
}

async function earlierAnswer(ctx: AccountContext, input: CreateDeploymentInput): Promise<Deployment | null> {
  if (input.idempotencyKey === undefined) return null;
  const { accountId } = ctx.actor;
  const earlier = await IdempotencyKeyModel.findOne({ accountId, key: input.idempotencyKey });
  if (earlier === null) return null;
  const doc = await DeploymentModel.findOne({ _id: earlier.deploymentId, accountId });
  if (doc === null || doc.state === 'deleting') {
    throw new AppError(
      'conflict',
      'This deployment was already created with the same idempotency key, and has been deleted since. Use a new key.',
      {
        field: 'idempotencyKey',
      },
    );
  }
  return toDeployment(ctx, doc);
}
