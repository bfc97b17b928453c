import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { platformCall } from '../connections/platform-call.ts';
import type { Providers } from '../context.ts';
import { type DomainDoc, DomainModel } from '../database/models/domains/domain.ts';
import { type DeploymentRow, primaryOf } from '../database/models/publishing/deployment.ts';
import { AppError, shownError } from '../lib/errors.ts';
import type { AttachedDomain, Platform, PlatformCall } from '../publishing/platforms/platform.ts';

/** Records that the platform may have the names from here on; no other process attaches them until `tellingUntil`. */
export type Attaching = { destinationId: string; platform: PlatformId; tellingUntil: Date } & Record<
  'records' | 'steps' | 'answers',
  []
>;
type Reached = Pick<DeploymentRow, 'accountId' | 'slug' | 'isSinglePage' | 'primaryId' | 'destinations'>;

/** Together with the check after it, this stays below the 30 s that the browser waits (src/api/links.ts). */
export const ATTACH_MS = 20_000;
/** A platform counts requests, and its answers change slowly; a person who acts gets its answer at once. */
const ASK_AGAIN_MS = 60_000;

/**
 * Attaches the names at the deployment's platform, if it needs that, and stores its records. The attempt is recorded
 * first, so that a later removal knows of it. Nothing happens on the built-in host, for names that are attached
 * already, before there is a site at the platform, while another site there still has the names, and for a minute
 * after a failure. Throws the errors of the platform: `domain_taken`, `plan_limit`.
 */
export async function attachNames(
  providers: Providers,
  deployment: Reached,
  domain: DomainDoc,
  signal: AbortSignal,
): Promise<DomainDoc> {
  const { leaving, lostAt, attached } = domain;
  const { platform, _id } = primaryOf(deployment);
  if (attached?.destinationId === _id && attached.toldAt instanceof Date) return domain;
  const isTaken = leaving.some((one) => one.isEnding && one.platform === platform);
  if (isTaken || lostAt instanceof Date) return domain;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ATTACH_MS)]);
  const begun = await beginAttaching(providers, deployment, domain);
  if (begun === null) return domain;
  return attachAtPlatform(providers, deployment, begun, { signal, inTime });
}

/** Attaches names for which `attachingOf` was written. Throws as `attachNames` does. */
export async function attachAtPlatform(
  providers: Providers,
  deployment: Reached,
  begun: DomainDoc,
  { signal, inTime }: { signal: AbortSignal; inTime: AbortSignal },
): Promise<DomainDoc> {
  const destination = primaryOf(deployment);
  try {
    const call = platformCall(providers, deployment, destination, inTime);
    const attachedDomain = await attachBoth(providers.platforms[destination.platform], call, begun);
    return await endAttaching(begun, destination._id, { ...attachedDomain, error: null });
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = inTime.aborted ? noAnswer(destination.platform) : error;
    await endAttaching(begun, destination._id, { askedAt: providers.now(), error: shownError(failure) });
    throw failure;
  }
}

/**
 * Returns the record that is written before names are attached at the primary platform; null when there is nothing to
 * attach.
 */
export function attachingOf(
  { platforms, now }: Pick<Providers, 'platforms' | 'now'>,
  deployment: Pick<Reached, 'primaryId' | 'destinations'>,
): Attaching | null {
  const { _id: destinationId, platform, site } = primaryOf(deployment);
  if (platforms[platform]?.attachDomain === undefined || !site) return null;
  const tellingUntil = new Date(now().getTime() + ATTACH_MS);
  return { destinationId, platform, records: [], steps: [], answers: [], tellingUntil };
}

/** Returns the error for a platform that does not answer within the time of a check. */
export function noAnswer(platform: PlatformId): AppError {
  const message = `${PLATFORMS[platform].title} did not answer in time.`;
  return new AppError('platform_down', message, { hint: 'Fairlead asks again automatically.' });
}

/** Returns whether the platform was asked within the last minute, and nobody has acted since. */
export function wasJustAsked({ attached, quickFrom }: DomainDoc, now: Date): boolean {
  const askedAt = attached?.askedAt;
  return askedAt instanceof Date && askedAt >= quickFrom && now.getTime() - askedAt.getTime() < ASK_AGAIN_MS;
}

/** Returns null when there is nothing to attach, another process does it, or the domain is being removed. */
async function beginAttaching(providers: Providers, deployment: Reached, domain: DomainDoc): Promise<DomainDoc | null> {
  const attaching = attachingOf(providers, deployment);
  if (attaching === null) return null;
  const { _id, accountId, deploymentId, quickFrom, attached } = domain;
  const now = providers.now();
  const { destinationId, tellingUntil } = attaching;
  const wanted = { _id, accountId, deploymentId, quickFrom, state: { $ne: 'removing' as const }, lostAt: null };
  const after = { returnDocument: 'after' } as const;
  if (attached?.destinationId !== destinationId) {
    return DomainModel.findOneAndUpdate({ ...wanted, attached: null }, { $set: { attached: attaching } }, after);
  }
  if (wasJustAsked(domain, now)) return null;
  const free = { 'attached.toldAt': null, 'attached.tellingUntil': { $not: { $gt: now } } };
  return DomainModel.findOneAndUpdate(
    { ...wanted, 'attached.destinationId': destinationId, ...free },
    { $set: { 'attached.tellingUntil': tellingUntil } },
    after,
  );
}

/** Stores the result; returns the present domain if it was moved in the meantime. */
async function endAttaching(
  begun: DomainDoc,
  destinationId: string,
  outcome: Record<string, unknown>,
): Promise<DomainDoc> {
  const { _id, accountId } = begun;
  const entries = Object.entries({ ...outcome, tellingUntil: null });
  const $set = Object.fromEntries(entries.map(([field, value]) => [`attached.${field}`, value]));
  const here = { _id, accountId, 'attached.destinationId': destinationId };
  return (await DomainModel.findOneAndUpdate(here, { $set }, { returnDocument: 'after' })) ?? begun;
}

/** A platform asks for a handful of records, of which a proof is the longest. */
const RECORDS_MAX = 20;
const RECORD_MAX_LENGTH = 1_000;

/** Limits the platform's records, which are stored with the domain and sent with every list of domains. */
function boundedRecords(attached: AttachedDomain | undefined): AttachedDomain['records'][number][] {
  const fitting = ({ name, value }: AttachedDomain['records'][number]) => `${name}${value}`.length <= RECORD_MAX_LENGTH;
  return (attached?.records ?? []).filter(fitting).slice(0, RECORDS_MAX);
}

/** Attaches the counterpart separately at a platform that does not add it; if that fails, only the name is served. */
async function attachBoth(
  platform: Platform | undefined,
  call: PlatformCall,
  { name, counterpart }: DomainDoc,
): Promise<{ records: AttachedDomain['records']; steps: AttachedDomain['steps']; toldAt: Date }> {
  const attached = await platform?.attachDomain?.(call, name);
  const records = boundedRecords(attached);
  const attachedDomain = { records, steps: [...(attached?.steps ?? [])], toldAt: call.now() };
  if (!counterpart || attached?.counterparts.includes(counterpart) === true) return attachedDomain;
  try {
    records.push(...boundedRecords(await platform?.attachDomain?.(call, counterpart)));
  } catch (error) {
    if (!(error instanceof AppError) || !['domain_taken', 'plan_limit'].includes(error.code)) throw error;
  }
  return attachedDomain;
}
