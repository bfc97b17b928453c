import type { ClientSession } from 'mongoose';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { ShownError } from '../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { platformCall } from '../connections/platform-call.ts';
import type { Providers } from '../context.ts';
import {
  type DomainDoc,
  DomainModel,
  type DomainRow,
  type FormerDestination,
} from '../database/models/domains/domain.ts';
import { JobModel } from '../database/models/job.ts';
import { type DeploymentDoc, DeploymentModel } from '../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../database/models/publishing/destination.ts';
import { publishEvent } from '../events/publish.ts';
import type { JobPayload } from '../queue/payloads.ts';
import { expediteJob } from '../queue/queue.ts';
import { removeCertificates } from './certificates/ensure.ts';
import { removeRecordPlans } from './record-plan/stored-record-plan.ts';
import { unitOf } from './records/names.ts';
import { expediteCheck } from './schedule.ts';

/**
 * Names are detached from a platform by a job, enqueued in the transaction that decides it: before the commit nothing
 * happens there, and after it nothing is forgotten.
 */
export type DetachedNames = JobPayload<'detach-domain'>;
type Named = Pick<DomainRow, 'accountId' | 'name' | 'counterpart'>;
type DestinationIds = Pick<DetachedNames, 'deploymentId' | 'destinationId'>;

/** Enqueues the removal of names from a platform, `delayMs` from now. */
export async function enqueueDetach(
  session: ClientSession,
  { accountId, name, counterpart }: Named,
  { deploymentId, destinationId }: DestinationIds,
  delayMs = 0,
): Promise<void> {
  const payload = { deploymentId, destinationId, name, counterpart: counterpart ?? null };
  await expediteJob(session, { name: 'detach-domain', payload, accountId, key: detachKey(payload), delayMs });
}

function detachKey({ destinationId, name }: Pick<DetachedNames, 'destinationId' | 'name'>): string {
  return `detach-domain ${destinationId} ${name}`;
}

type Held = Named & Pick<DomainRow, 'deploymentId' | 'attached'> & { leaving: readonly FormerDestination[] };

/** Enqueues the removal of an unheld domain's names from every platform; returns whether there is one. */
export async function detachEverywhere(session: ClientSession, now: Date, domain: Held): Promise<boolean> {
  const destinations = destinationsOf(domain);
  for (const destination of destinations)
    await enqueueDetach(session, domain, destination, attachingMs(domain, destination, now));
  return destinations.length > 0;
}

/** Returns the platforms that have, or may have, the names. */
function destinationsOf({ deploymentId, attached, leaving }: Held): DestinationIds[] {
  const elsewhere = leaving.filter(({ platform }) => PLATFORMS[platform].isServedHere !== true);
  return attached ? [{ deploymentId, destinationId: attached.destinationId }, ...elsewhere] : elsewhere;
}

/** Returns how long another process may still be attaching the names, which would bring them back. */
export function attachingMs(
  { attached }: Pick<DomainRow, 'attached'>,
  { destinationId }: DestinationIds,
  now: Date,
): number {
  const isHere = attached?.destinationId === destinationId && attached.tellingUntil instanceof Date;
  return isHere ? Math.max(0, (attached.tellingUntil?.getTime() ?? 0) - now.getTime()) : 0;
}

/** Continues a removal whose job was lost. */
export async function continueRemoval(
  session: ClientSession,
  now: Date,
  { _id, accountId }: Pick<DomainDoc, '_id' | 'accountId'>,
): Promise<void> {
  const domain = await DomainModel.findOne({ _id, accountId, state: 'removing' }).session(session);
  if (domain === null) return;
  const keys = destinationsOf(domain).map((destination) => detachKey({ ...destination, name: domain.name }));
  const open = { accountId, key: { $in: keys }, status: { $in: ['queued', 'running'] as const } };
  if ((await JobModel.exists(open).session(session)) !== null) return;
  if (!(await detachEverywhere(session, now, domain))) await eraseDomain(session, domain);
}

/**
 * Returns the destination from which to detach the names: null when the site is gone there, with the names, or when
 * they are wanted there again.
 */
export async function findDetaching(
  accountId: string,
  names: DetachedNames,
): Promise<{ deployment: DeploymentDoc; destination: DestinationDoc } | null> {
  const { deploymentId, destinationId } = names;
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId });
  const destination = deployment?.destinations.find(({ _id }) => _id === destinationId);
  if (!deployment || !destination || destination.state === 'removed') return null;
  const domain = await DomainModel.findOne({ ...unitFilter(accountId, names), state: { $ne: 'removing' } });
  return domain !== null && isServedAt(domain, destinationId) ? null : { deployment, destination };
}

function unitFilter(accountId: string, { name }: Pick<DetachedNames, 'name'>) {
  return { accountId, unit: unitOf(name).unit };
}

function isServedAt({ attached, leaving }: Held, destinationId: string): boolean {
  const isStillServing = leaving.some((one) => one.destinationId === destinationId && !one.isEnding);
  return attached?.destinationId === destinationId || isStillServing;
}

/** Detaches the names from a platform. Names that are gone there already are no error. */
export async function detachNames(
  providers: Providers,
  { deployment, destination }: { deployment: DeploymentDoc; destination: DestinationDoc },
  { name, counterpart }: DetachedNames,
  signal: AbortSignal,
): Promise<void> {
  const platform = providers.platforms[destination.platform];
  const call = platformCall(providers, deployment, destination, signal);
  await platform?.detachDomain?.(call, name);
  const isManual = PLATFORM_CAPABILITIES[destination.platform]?.domain?.counterpart === 'manual';
  if (counterpart !== null && isManual) await platform?.detachDomain?.(call, counterpart);
}

/** Records that a platform no longer has the names: a removed domain is gone, one that waits for it continues. */
export async function endDetach(session: ClientSession, accountId: string, names: DetachedNames): Promise<void> {
  const { destinationId } = names;
  const domain = await DomainModel.findOne(unitFilter(accountId, names)).session(session);
  if (domain === null) return;
  const { _id, attached } = domain;
  const isAttached = attached?.destinationId === destinationId;
  if (domain.state === 'removing') {
    const update = { ...(isAttached && { $set: { attached: null } }), $pull: { leaving: { destinationId } } };
    const left = await DomainModel.findOneAndUpdate({ _id, accountId }, update, { session, returnDocument: 'after' });
    if (left !== null && destinationsOf(left).length === 0) await eraseDomain(session, left);
    return;
  }
  if (isAttached) {
    // The domain came back meanwhile: it is attached at the platform again.
    await DomainModel.updateOne({ _id, accountId }, { $set: { 'attached.toldAt': null } }, { session });
    await expediteCheck(session, domain);
    return;
  }
  const ending = { destinationId, isEnding: true };
  const { matchedCount } = await DomainModel.updateOne(
    { _id, accountId, leaving: { $elemMatch: ending } },
    { $pull: { leaving: ending } },
    { session },
  );
  if (matchedCount > 0) await expediteCheck(session, domain);
}

async function eraseDomain(
  session: ClientSession,
  { _id: domainId, accountId }: Pick<DomainDoc, '_id' | 'accountId'>,
): Promise<void> {
  await DomainModel.deleteOne({ _id: domainId, accountId }, { session });
  await removeRecordPlans(session, { accountId, domainId });
  await removeCertificates(session, { accountId, domainId });
  await publishEvent(session, accountId, { type: 'analytics_update' });
}

/**
 * The domains to erase in one transaction: each takes some five operations (MongoDB manual, production
 * considerations).
 */
const DOMAINS_AT_ONCE = 50;

/**
 * Erases some domains of a deployment that is gone with its sites; false when none is left. Their names are free then,
 * and can be proved again. They are detached from other destinations, too.
 */
export async function eraseSomeDomains(
  session: ClientSession,
  now: Date,
  { accountId, deploymentId }: { accountId: string; deploymentId: string },
): Promise<boolean> {
  const domains = await DomainModel.find({ accountId, deploymentId }).limit(DOMAINS_AT_ONCE).session(session).lean();
  if (domains.length === 0) return false;
  for (const domain of domains) {
    const leaving = domain.leaving.filter((destination) => destination.deploymentId !== deploymentId);
    await detachEverywhere(session, now, { ...domain, attached: null, leaving });
    await removeRecordPlans(session, { accountId, domainId: domain._id });
    await removeCertificates(session, { accountId, domainId: domain._id });
  }
  await DomainModel.deleteMany({ accountId, _id: { $in: domains.map(({ _id }) => _id) } }, { session });
  return true;
}

/** Notifies the owner that a platform has kept the names: its words, and what the owner can do. */
export async function notifyKept(
  session: ClientSession,
  { accountId, _id: deploymentId, state }: DeploymentDoc,
  { platform }: Pick<DestinationDoc, 'platform'>,
  { name }: DetachedNames,
  error: ShownError,
): Promise<void> {
  const { title } = PLATFORMS[platform];
  await publishEvent(session, accountId, {
    type: 'notification',
    title: `${name} may still be at ${title}`,
    message: `${error.message} Take the domain off the site there by hand, so that nobody else can use it.`,
    variant: 'destructive',
    ...(state !== 'deleting' && { deploymentId }),
  });
}
