import type { ApplyPlanInput, RecordPlan, UndoPlanInput } from '../../../routers/schemas/domains.ts';
import { ERROR_CODES, type ErrorCode } from '../../../routers/schemas/errors.ts';
import { countTest } from '../../connections/ask-platform.ts';
import type { AccountContext } from '../../context.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../database/models/domains/dns-change.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireWritableDomain } from '../../plans/subscription/writable.ts';
import { expediteJob } from '../../queue/queue.ts';
import { changesWithout, openChanges, toRecordPlan } from './stored-record-plan.ts';

/** A plan that was begun can be undone for this long. */
const BEGUN_MS = 90 * DAY_MS;
/** Most providers finish within a second, and the browser waits for 30 s (src/api/links.ts). */
const LOOK_AGAIN_MS = 250;
const LOOKS_MAX = 60;

type State = DnsChangeDoc['state'];

/**
 * Begins to write a plan, which a job completes however long it takes, and returns the state within some seconds:
 * `applied`, or `applying` when the provider is slower (`lastPlan` has the result). A plan that was already written is
 * no error, so the call can be repeated. The changes at the names in `leave` are not made. Throws `not_found`,
 * `plan_required`, `plan_outdated`, `records_changed` when somebody changed the zone since, and the errors of the
 * provider.
 */
export async function applyPlan(ctx: AccountContext, input: ApplyPlanInput): Promise<RecordPlan> {
  const { planId, leave = [] } = input;
  const plan = await findPlan(ctx, planId);
  await requireWritableDomain(null, ctx, plan.domainId);
  if (plan.state === 'undoing' || plan.state === 'undone') {
    const message =
      plan.state === 'undone' ? 'These record changes were undone.' : 'These record changes are being undone.';
    throw new AppError('plan_outdated', message, { hint: 'Work out the changes again.' });
  }
  const meanwhile = () => applyPlan(ctx, input);
  if (plan.state === 'planned' && leave.length > 0) {
    const set = { changes: changesWithout(plan, leave) };
    return begin(ctx, plan, { from: ['planned'], to: 'applying', set, meanwhile });
  }
  if (openChanges(plan).some(({ name }) => leave.includes(name))) {
    const message = 'Some of the changes that you now leave out have already begun.';
    throw new AppError('plan_outdated', message, { hint: 'Work out the changes again.' });
  }
  if (plan.state === 'applied') return toRecordPlan(plan);
  return begin(ctx, plan, { from: ['planned', 'applying', 'failed'], to: 'applying', meanwhile });
}

/**
 * Begins to undo a plan's changes, without touching later additions of others; returns like `applyPlan`. Throws
 * `not_found`, `plan_outdated` for one that was never applied, `state_changed` while it is being written,
 * `records_changed`, and the errors of the provider.
 */
export async function undoPlan(ctx: AccountContext, input: UndoPlanInput): Promise<RecordPlan> {
  const plan = await findPlan(ctx, input.planId);
  if (plan.state === 'undone') return toRecordPlan(plan);
  if (plan.state === 'planned') {
    throw new AppError('plan_outdated', 'These record changes were not made: there is nothing to undo.');
  }
  if (plan.state === 'applying') {
    throw new AppError('state_changed', 'These records are still being written.', {
      hint: 'Undo the changes once they are written.',
    });
  }
  const meanwhile = () => undoPlan(ctx, input);
  return begin(ctx, plan, { from: ['applied', 'failed', 'undoing'], to: 'undoing', meanwhile });
}

type Begin = {
  from: readonly State[];
  to: State;
  set?: { changes?: unknown[] };
  /** Answers where another tab or the job was faster, or a newer plan has replaced it. */
  meanwhile(): Promise<RecordPlan>;
};

async function begin(
  ctx: AccountContext,
  { _id, accountId, domainId }: DnsChangeDoc,
  { from, to, set = {}, meanwhile }: Begin,
): Promise<RecordPlan> {
  await countTest(accountId);
  const expiresAt = new Date(ctx.now().getTime() + BEGUN_MS);
  const isBegun = await transaction(async (session) => {
    await publishEvent(session, accountId, { type: 'analytics_update' });
    // Changes can be undone on any plan.
    if (to === 'applying') await requireWritableDomain(session, ctx, domainId);
    const own = { _id, accountId, state: { $in: [...from] } };
    const begun = await DnsChangeModel.updateOne(
      own,
      { $set: { ...set, state: to, error: null, expiresAt } },
      { session },
    );
    if (begun.matchedCount === 0) return false;
    // The domain is written to, so that of this and its removal one sees the other.
    const held = { _id: domainId, accountId, state: { $ne: 'removing' as const } };
    const domain = await DomainModel.updateOne(held, { $set: { quickFrom: ctx.now() } }, { session });
    if (domain.matchedCount === 0 && to === 'applying') throw notFound('domain');
    const job = { name: 'apply-dns', payload: { planId: _id }, accountId, key: `dns-change ${_id}` } as const;
    await expediteJob(session, job);
    return true;
  });
  if (!isBegun) return meanwhile();
  return ended(ctx, _id, to);
}

/** Waits for a moment until it is over. Throws the error if it failed. */
async function ended(ctx: AccountContext, planId: string, during: State): Promise<RecordPlan> {
  const { signal } = new AbortController();
  for (let looks = 0; ; looks += 1) {
    const plan = await findPlan(ctx, planId);
    if (plan.state !== during && plan.error) throw storedError(plan.error);
    if (plan.state !== during || looks === LOOKS_MAX) return toRecordPlan(plan);
    await ctx.providers.wait(LOOK_AGAIN_MS, signal);
  }
}

function storedError({ code, message, hint }: NonNullable<DnsChangeDoc['error']>): AppError {
  return new AppError(isErrorCode(code) ? code : 'internal', message, { hint: hint ?? undefined });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

async function findPlan(ctx: AccountContext, planId: string): Promise<DnsChangeDoc> {
  const plan = await DnsChangeModel.findOne({ _id: planId, accountId: ctx.actor.accountId });
  if (plan === null) throw notFound('plan');
  return plan;
}
