import mongoose, { type ClientSession } from 'mongoose';
import { withDnsConnection } from '../../connections/ask-dns.ts';
import { readNames } from '../../connections/dns-connections.ts';
import { withZoneLease } from '../../connections/zone-lease.ts';
import type { Providers } from '../../context.ts';
import { type ConnectionDoc, ConnectionModel } from '../../database/models/connection.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../database/models/domains/dns-change.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import type { FoundRecordSet, RecordChange } from '../../dns/provider.ts';
import { pendingChanges } from '../../dns/record-plan/changes.ts';
import { undoOf } from '../../dns/record-plan/undo.ts';
import { publishEvent } from '../../events/publish.ts';
import { AppError } from '../../lib/errors.ts';
import { errorForPerson } from '../../lib/remedies.ts';
import { expediteCheck } from '../schedule.ts';
import { openChanges, removeOlderRecordPlans, storedZone } from './stored-record-plan.ts';

export type RecordPlanRun = {
  providers: Providers;
  accountId: string;
  planId: string;
  signal: AbortSignal;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
};

/** The states after success and after failure: a plan that cannot be undone stays applied. */
const ENDS = {
  applying: { done: 'applied', failed: 'failed' },
  undoing: { done: 'undone', failed: 'applied' },
} as const;

/**
 * Writes a plan as one change, or undoes it, reads the result, and has the domain checked. A run after a crash reads
 * the present records and continues: finished changes are skipped, and undoing is computed from the present records.
 * Throws the errors of the provider.
 */
export async function writeRecordPlan(run: RecordPlanRun): Promise<void> {
  const { providers, accountId, planId: _id } = run;
  const plan = await DnsChangeModel.findOne({ _id, accountId });
  const during = plan === null ? null : runningState(plan);
  if (plan === null || during === null) return;
  await writeChanges(run, plan, during);
  await providers.faults?.at('dns-change:written');
  await run.transaction((session) => endRecordPlan(session, run, plan, during));
  await providers.faults?.at('dns-change:ended');
}

function runningState({ state }: DnsChangeDoc): keyof typeof ENDS | null {
  return state === 'applying' || state === 'undoing' ? state : null;
}

async function writeChanges(
  { providers, signal }: RecordPlanRun,
  plan: DnsChangeDoc,
  during: keyof typeof ENDS,
): Promise<void> {
  const zone = storedZone(plan);
  const applied = openChanges(plan);
  const names = [...new Set(applied.map(({ name }) => name))];
  const connection = await connectionOf(plan, during);
  await withDnsConnection(providers, connection, signal, (provider, call) =>
    withZoneLease(providers, { provider, call, zone }, async () => {
      if (during === 'applying') await requireDomain(plan);
      const changes = during === 'applying' ? applied : undone(applied, await readNames(provider, call, zone, names));
      await providers.faults?.at('dns-change:begun');
      if (changes.length > 0) await provider.write(call, zone, changes);
      await providers.faults?.at('dns-change:sent');
      // Some servers accept records that they then leave out, such as a CNAME beside others.
      const [left] = pendingChanges(changes, await readNames(provider, call, zone, names));
      if (left !== undefined) throw refused(left);
    }),
  );
}

async function connectionOf(plan: DnsChangeDoc, during: keyof typeof ENDS): Promise<ConnectionDoc> {
  const { connectionId: _id, accountId } = plan;
  const connection = await ConnectionModel.findOne({ _id, accountId });
  if (connection !== null) return connection;
  const again = during === 'applying' ? 'write the records once more' : 'undo the plan once more';
  throw new AppError('zone_not_found', `The connection to the provider of ${storedZone(plan).name} was removed.`, {
    hint: `Connect the provider again, then ${again}.`,
  });
}

/** Checks that the domain exists: without it nobody would find the records again, or be able to undo them. */
async function requireDomain({ domainId: _id, accountId }: DnsChangeDoc): Promise<void> {
  if ((await DomainModel.exists({ _id, accountId, state: { $ne: 'removing' } })) !== null) return;
  throw new AppError('not_found', 'The domain was removed, so its records were not written.');
}

function undone(applied: readonly RecordChange[], found: readonly FoundRecordSet[]): RecordChange[] {
  return undoOf(applied, found)
    .filter(({ action }) => action !== 'leave')
    .map(({ type, name, before, after }) => ({ type, name, before, after }));
}

function refused({ type, name }: RecordChange): AppError {
  return new AppError('records_refused', `The provider accepted the ${type} record of ${name} but does not show it.`, {
    hint: 'Something else at this name may block it. Check the records at your provider.',
  });
}

async function endRecordPlan(
  session: ClientSession,
  { providers, accountId }: RecordPlanRun,
  { _id, domainId }: DnsChangeDoc,
  during: keyof typeof ENDS,
): Promise<void> {
  await publishEvent(session, accountId, { type: 'analytics_update' });
  const ended = { $set: { state: ENDS[during].done, error: null } };
  await DnsChangeModel.updateOne({ _id, accountId, state: during }, ended, { session });
  await removeOlderRecordPlans(session, { accountId, domainId });
  const changed = { $set: { quickFrom: providers.now(), changedAt: mongoose.now() } };
  const domain = await DomainModel.findOneAndUpdate({ _id: domainId, accountId }, changed, { session });
  if (domain !== null) await expediteCheck(session, domain);
}

/** Records why a plan waits for another try. */
export async function holdRecordPlan(
  session: ClientSession,
  { accountId, planId: _id }: Pick<RecordPlanRun, 'accountId' | 'planId'>,
  error: AppError,
): Promise<void> {
  const { code, message, hint = null } = error;
  const running = { _id, accountId, state: { $in: ['applying', 'undoing'] as const } };
  await DnsChangeModel.updateOne(running, { $set: { error: { code, message, hint } } }, { session });
}

/** Records that a plan has failed, and why. */
export async function failRecordPlan(
  session: ClientSession,
  { accountId, planId: _id }: Pick<RecordPlanRun, 'accountId' | 'planId'>,
  error: unknown,
): Promise<void> {
  const plan = await DnsChangeModel.findOne({ _id, accountId }).session(session);
  const during = plan === null ? null : runningState(plan);
  if (plan === null || during === null) return;
  await publishEvent(session, accountId, { type: 'analytics_update' });
  const shown = errorForPerson(error);
  const { code, message, hint = null } = shown instanceof AppError ? shown : brokenOff();
  const failed = { $set: { state: ENDS[during].failed, error: { code, message, hint } } };
  await DnsChangeModel.updateOne({ _id, accountId, state: during }, failed, { session });
  await removeOlderRecordPlans(session, plan);
  // A part of the records may have been written.
  const changed = { $set: { changedAt: mongoose.now() } };
  await DomainModel.updateOne({ _id: plan.domainId, accountId }, changed, { session });
}

function brokenOff(): AppError {
  return new AppError('internal', 'Not all records could be written.', { hint: 'Try again.' });
}
