import type { ClientSession } from 'mongoose';
import type { ConfirmReleaseInput, HandOffInput, Release, ReleaseHandOff } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext, Providers } from '../../context.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { PublicationModel, type PublicationRow, publicationId } from '../../database/models/publishing/publication.ts';
import { type ReleaseDoc, ReleaseModel } from '../../database/models/publishing/release.ts';
import { transaction } from '../../database/mongo.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { EgressError } from '../../lib/egress/egress.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { expediteJob } from '../../queue/queue.ts';
import { destinationKey, fieldsBelow } from '../publication/release-work.ts';
import { handOffOf, prepareDownload } from './download.ts';
import { findRelease } from './read.ts';
import { toReleaseOf } from './to-release.ts';

/**
 * Returns the steps for a person at a platform that nobody else can publish to, with a link to the archive. Throws
 * `not_found`, `conflict`.
 */
export async function readHandOff(ctx: AccountContext, { releaseId }: HandOffInput): Promise<ReleaseHandOff> {
  const release = await findRelease(ctx, releaseId);
  const deployment = await findDeployment(ctx, release);
  const handOff = handOffOf(ctx.providers, deployment, release);
  const waiting = await waitingAt(deployment, release);
  if (handOff === null || (!isRunningReleaseState(release.state) && waiting === null)) throw nothingToDo(release);
  const { url } = await prepareDownload(ctx, { releaseId });
  const place = deployment.destinations.find(({ _id }) => _id === waiting?.destinationId);
  return {
    archive: { url },
    steps: handOff.steps.map((step) => ({ ...step })),
    address: waiting?.confirmedUrl ?? place?.url ?? '',
  };
}

/** Each is a request to an address of the account's choice, which gets no more of them than a person needs. */
const LOOKS_PER_HOUR = 120;
const LOOK_MS = 10_000;
const LOOK_BYTES = 1024 * 1024;

/**
 * Takes the address at which the person has published the release, and has it checked from outside. An address that is
 * not of the public web or does not exist is refused at once; one that does not answer yet is checked again until it
 * does. A hand-off that began on a plan can be finished after the plan has ended. Throws `not_found`, `conflict`,
 * `rate_limited`, and `validation_failed` on `url`.
 */
export async function confirmRelease(ctx: AccountContext, input: ConfirmReleaseInput): Promise<Release> {
  const release = await findRelease(ctx, input.releaseId);
  const deployment = await findDeployment(ctx, release);
  const waiting = await waitingAt(deployment, release);
  if (waiting === null) throw nothingToDo(release);
  const { destinationId } = waiting;
  const { accountId } = ctx.actor;
  await countAgainst({ name: 'address-looks', key: accountId, limit: LOOKS_PER_HOUR, windowMs: HOUR_MS });
  const hint = handOffOf(ctx.providers, deployment, release)?.addressHint;
  const url = await reachableAddress(ctx.providers, input.url, hint);
  const doc = await transaction((session) => saveAddress(session, { deployment, release, destinationId, url }));
  return toReleaseOf(ctx, doc);
}

type Waiting = Pick<PublicationRow, 'destinationId' | 'confirmedUrl'>;

/**
 * Returns the publication of this release that waits for the person: while it is on its way, that at the primary
 * destination; after that, another.
 */
async function waitingAt(deployment: DeploymentDoc, release: ReleaseDoc): Promise<Waiting | null> {
  const filter = { accountId: release.accountId, releaseId: release._id, state: 'waiting' as const };
  const waiting = await PublicationModel.findOne(filter, { destinationId: 1, confirmedUrl: 1 }).lean();
  if (waiting === null) return null;
  const isPrimary = deployment.primaryId === waiting.destinationId;
  const isWanted = isPrimary ? isRunningReleaseState(release.state) : deployment.currentReleaseId === release._id;
  return isWanted ? waiting : null;
}

const BEING_LOOKED_AT = { state: 'publishing', error: null } as const;

type Address = { deployment: DeploymentDoc; release: ReleaseDoc; destinationId: string; url: string };

async function saveAddress(
  session: ClientSession,
  { deployment, release, destinationId, url }: Address,
): Promise<ReleaseDoc> {
  const { accountId, _id: deploymentId } = deployment;
  const doc = await ReleaseModel.findOne({ _id: release._id, accountId, state: release.state }).session(session);
  const { matchedCount } = await PublicationModel.updateOne(
    { _id: publicationId({ releaseId: release._id, destinationId }), accountId, state: 'waiting' },
    { $set: { confirmedUrl: url, ...BEING_LOOKED_AT } },
    { session },
  );
  if (doc === null || matchedCount === 0) throw nothingToDo(release);
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId, destinations: { $elemMatch: { _id: destinationId, state: 'waiting' } } },
    { $set: fieldsBelow('destinations.$', BEING_LOOKED_AT) },
    { session },
  );
  // Its job may wait for hours.
  const payload = { releaseId: release._id, destinationId };
  const key = destinationKey({ deploymentId, destinationId });
  await expediteJob(session, { name: 'publish', payload, accountId, key });
  return doc;
}

/**
 * Returns the address without its query and fragment. Throws `validation_failed` when it has credentials, does not
 * exist or must not be visited.
 */
async function reachableAddress({ egress }: Providers, given: string, hint: string | undefined): Promise<string> {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  const parsed = URL.canParse(address) ? new URL(address) : null;
  if (parsed === null || parsed.username !== '' || parsed.password !== '') {
    throw wrongAddress('This is not a web address.', hint);
  }
  const url = `${parsed.origin}${parsed.pathname}`.replace(/\/$/, '');
  const request = { signal: new AbortController().signal, maxBytes: LOOK_BYTES, wholeMs: LOOK_MS };
  try {
    await egress.request(url, request, async () => undefined);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // An address that does not answer yet is checked repeatedly from now on.
    if (error.fault === 'unknown_name') throw wrongAddress('This address does not exist.', hint);
    if (error.fault === 'refused') throw wrongAddress(`${error.message.replace(/\.$/, '')}.`, hint);
  }
  return url;
}

function wrongAddress(message: string, hint: string | undefined): AppError {
  return new AppError('validation_failed', message, { field: 'url', fieldErrors: { url: message }, hint });
}

function nothingToDo({ number }: ReleaseDoc): AppError {
  return new AppError('conflict', `Release ${number} is not waiting for you.`);
}

async function findDeployment({ actor }: AccountContext, { deploymentId }: ReleaseDoc): Promise<DeploymentDoc> {
  const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId: actor.accountId });
  if (deployment === null) throw notFound('release');
  return deployment;
}
