import type { License, LicenseStatus } from '../../../routers/schemas/licenses.ts';
import type { AccountContext } from '../../context.ts';
import { LicenseModel, type LicenseRow } from '../../database/models/plans/license.ts';
import { activePlan, SubscriptionModel, type SubscriptionRow } from '../../database/models/plans/subscription.ts';
import type { GrantedPeriod } from '../subscription/grant.ts';

/** More than a person redeems; the list has one page. */
export const MAX_LICENSES = 100;

const SHOWN = { prefix: 1, plan: 1, state: 1, period: 1, redeemedAt: 1, history: 1 } as const;
type ShownRow = Pick<LicenseRow, '_id' | keyof typeof SHOWN>;

/** Returns the licenses that the account has redeemed, newest first, without their keys. */
export async function listLicenses(ctx: AccountContext): Promise<{ items: License[] }> {
  const { accountId } = ctx.actor;
  const newest = LicenseModel.find({ accountId }, SHOWN).sort({ redeemedAt: -1, _id: -1 });
  const docs = await newest.limit(MAX_LICENSES).lean();
  const subscription = docs.length === 0 ? null : await SubscriptionModel.findOne({ accountId }).lean();
  return { items: docs.map((doc) => toLicense(doc, subscription, ctx.now())) };
}

/** Converts a license for its holder, beside the account's present plan. */
export function toLicense(doc: ShownRow, subscription: SubscriptionRow | null, now: Date): License {
  const { startsAt, endsAt } = periodOf(doc);
  // A refunded payment, for instance, has brought the end of the plan nearer.
  const isShortened = doc.state === 'redeemed' && subscription !== null && subscription.endsAt < endsAt;
  const period = { startsAt, endsAt: isShortened ? subscription.endsAt : endsAt };
  return {
    id: doc._id,
    prefix: doc.prefix,
    plan: doc.plan,
    status: statusOf(doc, { period, subscription, now }),
    ...period,
    redeemedAt: redeemedAtOf(doc),
    history: doc.history.map(({ at, what }) => ({ at, what })),
  };
}

type Beside = { period: GrantedPeriod; subscription: SubscriptionRow | null; now: Date };

function statusOf(doc: ShownRow, { period: { startsAt, endsAt }, subscription, now }: Beside): LicenseStatus {
  if (doc.state === 'revoked') return 'revoked';
  if (doc.state === 'transferred' && doc.history.at(-1)?.what === 'accepted') return 'transferred';
  if (endsAt <= now) return 'ended';
  if (doc.state === 'transferred') return 'transferring';
  const isReplaced = activePlan(subscription, now) !== doc.plan || (subscription?.startedAt ?? now) > startsAt;
  if (isReplaced) return 'replaced';
  return startsAt > now ? 'waiting' : 'running';
}

/** Returns the period, which every redeemed license has: redeeming writes both at once. */
export function periodOf({ _id, period }: Pick<LicenseRow, '_id' | 'period'>): GrantedPeriod {
  if (period === null || period === undefined) throw new Error(`License ${_id} has no period.`);
  return { startsAt: period.startsAt, endsAt: period.endsAt };
}

function redeemedAtOf({ _id, redeemedAt }: ShownRow): Date {
  if (!(redeemedAt instanceof Date)) throw new Error(`License ${_id} has not been redeemed.`);
  return redeemedAt;
}
