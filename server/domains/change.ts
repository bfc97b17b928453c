import mongoose, { type ClientSession } from 'mongoose';
import { seenRecords, valuesSeen } from '../../routers/rules/records-to-delete.ts';
import type {
  CheckedRecord,
  Domain,
  RemoveDomainInput,
  RemovedDomain,
  UpdateDomainInput,
} from '../../routers/schemas/domains.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { type DomainDoc, DomainModel, namesOf } from '../database/models/domains/domain.ts';
import { type DeploymentDoc, DeploymentModel, primaryOf } from '../database/models/publishing/deployment.ts';
import { transaction } from '../database/mongo.ts';
import { moveDomain } from '../database/move-state.ts';
import { publishEvent } from '../events/publish.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { requireWritable, requireWritableDomain } from '../plans/subscription/writable.ts';
import { expediteHealthCheck } from '../publishing/publication/health-schedule.ts';
import { requireDomainQuota, requireTakesDomains } from './add.ts';
import { removeCertificates } from './certificates/ensure.ts';
import { detachEverywhere } from './detach.ts';
import { destinationOf, moveTo } from './move.ts';
import { findDomain, showDomain } from './read.ts';
import { deleteWrittenRecords } from './record-plan/delete-written-records.ts';
import { removeRecordPlans } from './record-plan/stored-record-plan.ts';
import { writtenRecords } from './record-plan/written-records.ts';
import { expediteCheck } from './schedule.ts';

/** Each is followed by a check at name servers that somebody else runs, and reaches every host. */
const UPDATES_PER_MINUTE = 30;

/**
 * Chooses which of the two names serves, or moves the domain to another deployment of the account; on the built-in
 * host every request is answered meanwhile. Throws `not_found`, `plan_required`, `domain_limit_reached`,
 * `validation_failed`, `rate_limited`, and `conflict` when visitors would find nothing.
 */
export async function updateDomain(ctx: AccountContext, input: UpdateDomainInput): Promise<Domain> {
  const before = await findDomain(ctx, input.domainId);
  await requireWritableDomain(null, ctx, before._id);
  const { servedName = before.servedName, deploymentId = before.deploymentId } = input;
  const isMoving = deploymentId !== before.deploymentId;
  if (!isMoving && servedName === before.servedName) return showDomain(ctx, before);
  const key = before.accountId;
  await countAgainst({ name: 'domain-updates', key, limit: UPDATES_PER_MINUTE, windowMs: MINUTE_MS });
  requireServable(before, servedName);
  const to = await findDeployment(ctx, deploymentId);
  if (isMoving) requireMovable(before, to);
  const changed = await transaction((session) => applyUpdate(session, ctx, before, { servedName, to }));
  return showDomain(ctx, changed);
}

function requireServable(domain: DomainDoc, servedName: string): void {
  if (!namesOf(domain).includes(servedName)) {
    const message = `${servedName} is not a name of this domain.`;
    throw new AppError('validation_failed', message, { field: 'servedName', fieldErrors: { servedName: message } });
  }
  if (domain.state === 'active' && servedName !== domain.servedName && !domain.pointedNames.includes(servedName)) {
    throw new AppError(
      'conflict',
      `${servedName} does not point here yet: visitors of ${domain.servedName} would find nothing.`,
      {
        hint: `Set the records of ${servedName} first.`,
      },
    );
  }
}

/** Refuses a move to a deployment that serves nothing. */
function requireMovable(domain: DomainDoc, to: DeploymentDoc): void {
  requireTakesDomains(to);
  const isServedHere = PLATFORMS[primaryOf(to).platform].isServedHere === true;
  if (isServedHere && domain.provedAt instanceof Date && !to.currentReleaseId) {
    throw new AppError('conflict', `${to.name} is not live yet: visitors of ${domain.name} would find nothing.`, {
      hint: 'Publish it first, then move the domain.',
    });
  }
}

async function applyUpdate(
  session: ClientSession,
  ctx: AccountContext,
  before: DomainDoc,
  { servedName, to }: { servedName: string; to: DeploymentDoc },
): Promise<DomainDoc> {
  const { _id, accountId } = before;
  const { _id: deploymentId } = to;
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
  const isMoving = deploymentId !== before.deploymentId;
  await requireWritableDomain(session, ctx, _id);
  if (isMoving) await requireWritable(session, ctx, deploymentId);
  const current = await DomainModel.findOne({ _id, accountId, state: { $ne: 'removing' } }).session(session);
  if (current === null) throw notFound('domain');
  if (current.deploymentId !== before.deploymentId) {
    if (current.deploymentId === deploymentId && current.servedName === servedName) return current;
    throw new AppError('conflict', `${before.name} was moved in the meantime.`, { hint: 'See where it is now.' });
  }
  const now = ctx.now();
  const doc = await DomainModel.findOneAndUpdate(
    { _id, accountId, deploymentId: before.deploymentId, state: { $ne: 'removing' } },
    // A choice among the domains of one deployment does not apply to those of another.
    {
      $set: {
        servedName,
        quickFrom: now,
        changedAt: mongoose.now(),
        ...(isMoving && { chosenAt: null, chosenLimit: null }),
      },
    },
    { session, returnDocument: 'after' },
  );
  if (doc === null) throw notFound('domain');
  if (isMoving) return moveToDeployment(session, ctx, doc, deploymentId);
  await expediteCheck(session, doc);
  await expediteHealthCheck(session, { accountId, deploymentId, now });
  return doc;
}

/** Moves the domain; reads both deployments again, since their destinations may have changed. */
async function moveToDeployment(
  session: ClientSession,
  ctx: AccountContext,
  domain: DomainDoc,
  deploymentId: string,
): Promise<DomainDoc> {
  const { accountId } = domain;
  await requireDomainQuota(session, ctx, deploymentId);
  const find = (_id: string) => DeploymentModel.findOne({ _id, accountId }).session(session);
  const from = await find(domain.deploymentId);
  const to = await find(deploymentId).orFail();
  requireTakesDomains(to);
  return moveTo(session, domain, { from: from && destinationOf(from), to: destinationOf(to), now: ctx.now() });
}

/**
 * Removes a name; it must be proved again to come back. Returns the records that point here, or that a plan has
 * written, for the person to delete: the next holder of the name would otherwise get its visitors. Throws `not_found`,
 * `state_changed` while its records are being written, and the errors of their provider if it is to delete them first.
 */
export async function removeDomain(
  ctx: AccountContext,
  { domainId, deletesRecords = false }: RemoveDomainInput,
): Promise<RemovedDomain> {
  const before = await findDomain(ctx, domainId);
  const gone = deletesRecords ? await deleteWrittenRecords(ctx, before) : [];
  // The schema leaves the field free; only checks write it.
  const records = before.records as readonly CheckedRecord[];
  const seen = seenRecords(records);
  const written = await transaction(async (session) => {
    const written = await writtenRecords(session, before);
    await startRemoval(session, ctx.now(), before);
    return written;
  });
  const left = [...seen, ...written.filter((one) => !isAmong(seen, one) && mayExist(one, records))];
  return {
    done: true,
    deleteFirst: left.filter((one) => !isAmong(gone, one)),
    stays: written.filter(({ type }) => type === 'CAA'),
  };
}

type Named = RemovedDomain['deleteFirst'][number];

function isAmong(records: readonly Named[], { type, name, value }: Named): boolean {
  return records.some((record) => record.type === type && record.name === name && record.value === value);
}

/** Returns whether the last check saw a record that a plan has written, or has not looked at its name. */
function mayExist({ type, name, value }: Named, records: readonly CheckedRecord[]): boolean {
  // Nobody else could use a CAA record.
  if (type === 'CAA') return false;
  const ofName = records.filter((record) => record.name === name && valuesSeen(record).length > 0);
  return ofName.length === 0 || ofName.some((record) => valuesSeen(record).includes(value));
}

/** Removes it at once, or as soon as no platform has it any more. */
async function startRemoval(session: ClientSession, now: Date, before: DomainDoc): Promise<void> {
  const { _id: id, accountId, deploymentId } = before;
  await publishEvent(session, accountId, { type: 'analytics_update', deploymentId });
  const from = ['unverified', 'pending_dns', 'active', 'misconfigured'] as const;
  const doc = await moveDomain(session, { id, accountId, from, to: 'removing', set: { heldNames: [] } });
  await expediteHealthCheck(session, { accountId, deploymentId, now, isGone: true });
  if (doc === null || (await detachEverywhere(session, now, doc))) return;
  await DomainModel.deleteOne({ _id: id, accountId }, { session });
  await removeRecordPlans(session, { accountId, domainId: id });
  await removeCertificates(session, { accountId, domainId: id });
}
