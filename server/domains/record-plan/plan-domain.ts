import { isDeepStrictEqual } from 'node:util';
import type { LastPlanInput, PlanDomainInput, RecordPlan } from '../../../routers/schemas/domains.ts';
import { withAskingSlots } from '../../account/asking-slots.ts';
import { askDns } from '../../connections/ask-dns.ts';
import {
  ambiguousText,
  dnsConnections,
  lossOf,
  readNames,
  readZones,
  rememberZones,
  zonesHolding,
} from '../../connections/dns-connections.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import type { ConnectionDoc } from '../../database/models/connection.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../database/models/domains/dns-change.ts';
import type { DomainDoc } from '../../database/models/domains/domain.ts';
import { newId } from '../../database/mongo.ts';
import type { DnsZone, FoundRecordSet } from '../../dns/provider.ts';
import { namesToRead, planRecords } from '../../dns/record-plan/record-plan.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { requireWritableDomain } from '../../plans/subscription/writable.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import { persistentRecords } from '../certificates/persistent-records.ts';
import { findDomain } from '../read.ts';
import { type DomainTarget, domainTargetOf, requiredRecords } from '../records/required-records.ts';
import { toRecordPlan } from './stored-record-plan.ts';
import { caaContext, wantedCaa } from './wanted-caa.ts';

/** A plan that was only viewed; an applied one can be undone for longer. */
const PLANNED_MS = DAY_MS;
/** A plan is stored with the previous sets; no answer of a name server holds more (RFC 1035, section 4.2.2). */
const PLAN_MAX_BYTES = 64 * 1024;
/** The limit for all stored plans of an account: those of a whole agency are some kilobytes each. */
const ACCOUNT_MAX_BYTES = 5 * 1024 ** 2;

type Wanted = {
  zone: DnsZone;
  /** Other zones of the same name, when it is not known which one visitors see. */
  others: readonly DnsZone[];
  found: FoundRecordSet[];
  wanted: DomainRecord[];
  target: DomainTarget;
};

/**
 * Compares the records that a domain needs with those at its DNS provider, and stores the changes without writing any;
 * this replaces the domain's last viewed plan. Throws `not_found`, `plan_required`, `zone_not_found` when no
 * connection holds the name, `records_refused` when the sets there are too large to store, and the errors of the
 * provider.
 */
export async function planDomain(ctx: AccountContext, input: PlanDomainInput): Promise<RecordPlan> {
  const domain = await findDomain(ctx, input.domainId);
  await requireWritableDomain(null, ctx, domain._id);
  const deployment = await findDeployment(ctx, domain.deploymentId);
  const target = await domainTargetOf(ctx.providers, deployment);
  const caa = await wantedCaa(ctx.providers, domain, target);
  const persistent = target.isServedHere ? await persistentRecords(ctx.providers, domain) : [];
  const wanted = [...requiredRecords(domain, target), ...caa, ...persistent];
  for (const connection of await dnsConnections(ctx.actor.accountId, input.connectionId)) {
    const reading = await askDns(ctx, connection, async (provider, call) => {
      const zones = await readZones(provider, call);
      const [zone, ...others] = await zonesHolding(ctx.providers, { provider, call, zones }, domain.unit);
      await rememberZones(ctx.providers, connection, { zones, ...(zone && { used: [zone.name] }) });
      if (zone === undefined) return null;
      return { zone, others, found: await readNames(provider, call, zone, namesToRead(zone, wanted)) };
    });
    if (reading !== null) return savePlan(ctx, domain, connection, { ...reading, wanted, target });
  }
  throw new AppError('zone_not_found', `None of your DNS connections holds ${domain.unit}.`, {
    hint:
      (await lossOf(ctx.actor.accountId, domain.unit)) ??
      'Connect the provider that keeps its records in Settings, or add the records there by hand.',
  });
}

async function savePlan(
  ctx: AccountContext,
  domain: DomainDoc,
  connection: ConnectionDoc,
  { zone, others, found, wanted, target }: Wanted,
): Promise<RecordPlan> {
  const [dnssec, caa] = await withAskingSlots(ctx, { whom: 'name servers' }, () => {
    const asked = ctx.providers.dns.checkDnssec(zone.name, AbortSignal.timeout(5_000));
    const isCaaWanted = wanted.some(({ type }) => type === 'CAA');
    const caa = isCaaWanted ? caaContext(ctx.providers, zone.name, target) : {};
    return Promise.all([asked.catch(() => 'unknown' as const), caa]);
  });
  const { changes, conflicts } =
    others.length === 0
      ? planRecords({ zone, required: wanted, found, dnssec, ...caa })
      : { changes: [], conflicts: [{ code: 'zone_ambiguous', message: ambiguousText(others) }] };
  if (Buffer.byteLength(JSON.stringify([zone, changes, conflicts])) > PLAN_MAX_BYTES) throw tooLarge(zone);
  const planned = { accountId: ctx.actor.accountId, domainId: domain._id, state: 'planned' as const };
  const content = { connectionId: connection._id, zone, changes: [...changes], conflicts: [...conflicts] };
  const expiresAt = new Date(ctx.now().getTime() + PLANNED_MS);
  const before = await DnsChangeModel.findOne(planned);
  // The same plan in a second tab is one plan: either tab may write it.
  const isSame = before !== null && isDeepStrictEqual(contentOf(before), JSON.parse(JSON.stringify(content)));
  const same = isSame
    ? await DnsChangeModel.findOneAndUpdate({ ...planned, _id: before._id }, { $set: { expiresAt } })
    : null;
  if (same !== null) return toRecordPlan(same);
  await DnsChangeModel.deleteMany(planned);
  if ((await bytesOfPlans(planned.accountId)) > ACCOUNT_MAX_BYTES - PLAN_MAX_BYTES) throw tooManyPlans();
  return toRecordPlan(await DnsChangeModel.create({ ...planned, ...content, _id: newId(), expiresAt }));
}

async function bytesOfPlans(accountId: string): Promise<number> {
  const [all] = await DnsChangeModel.aggregate<{ bytes: number }>([
    { $match: { accountId } },
    { $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
  ]);
  return all?.bytes ?? 0;
}

function tooManyPlans(): AppError {
  return new AppError('records_refused', 'Your account has too many DNS changes that were worked out but never made.', {
    hint: 'Try again tomorrow: unused ones are deleted by then.',
  });
}

function contentOf({ connectionId, zone, changes, conflicts }: DnsChangeDoc): unknown {
  return JSON.parse(JSON.stringify({ connectionId, zone, changes, conflicts }));
}

function tooLarge({ name }: DnsZone): AppError {
  return new AppError('records_refused', `The records in ${name} are too large for Fairlead to plan changes.`, {
    hint: 'Add the records at your provider by hand.',
  });
}

/** The states of a plan that was begun. */
const BEGUN = ['applying', 'applied', 'failed', 'undoing', 'undone'] as const;

/**
 * Returns the plan of a domain that was begun last and not undone, for its page: it is being written or undone, can be
 * undone, or has failed, unless another was begun since. Null when there is none. Throws `not_found`.
 */
export async function lastPlan(ctx: AccountContext, input: LastPlanInput): Promise<RecordPlan | null> {
  const { _id: domainId, accountId } = await findDomain(ctx, input.domainId);
  const begun = await DnsChangeModel.find({ accountId, domainId, state: { $in: BEGUN } }).sort({ updatedAt: -1 });
  const last = begun.find(({ state }, at) => state !== 'undone' && (state !== 'failed' || at === 0));
  return last === undefined ? null : toRecordPlan(last);
}
