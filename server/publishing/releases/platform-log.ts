import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { PlatformLog, ReadPlatformLogInput } from '../../../routers/schemas/releases.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import { platformCall, storedRef } from '../../connections/platform-call.ts';
import type { AccountContext } from '../../context.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { errorForPerson } from '../../lib/remedies.ts';
import { findPublication } from '../publication/publications.ts';
import { findRelease } from './read.ts';

/** Each is a request to a platform in Fairlead's name, of which an account cannot cause more than a person needs. */
const READS_PER_HOUR = 120;
/** A person does not wait longer than this for a platform. */
const TIMEOUT_MS = 30_000;
/** Only the end is shown, since that is where errors are. */
const SHOWN_CHARACTERS = 200_000;
const ESCAPE = String.fromCharCode(0x1b);
/** Matches a terminal code after its escape character, such as a colour (ECMA-48, section 5.4). */
const TERMINAL_CODE = /^\[[0-?]*[ -/]*[@-~]/;
const NO_TEXT = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/**
 * Reads the log that one of its platforms, else the primary one, keeps of a release. Throws `not_found`, `conflict` where
 * the platform keeps none or was not asked for this release, `rate_limited`, and what the platform answers.
 */
export async function readPlatformLog(
  ctx: AccountContext,
  { releaseId, destinationId }: ReadPlatformLogInput,
): Promise<PlatformLog> {
  const { accountId } = ctx.actor;
  const release = await findRelease(ctx, releaseId);
  const deployment = await DeploymentModel.findOne({ _id: release.deploymentId, accountId });
  if (deployment === null) throw notFound('release');
  const destination = deployment.destinations.find(({ _id }) => _id === (destinationId ?? deployment.primaryId));
  const published = destination && (await findPublication(accountId, { releaseId, destinationId: destination._id }));
  const platform = destination && ctx.providers.platforms[destination.platform];
  const ref = storedRef(published?.ref);
  if (destination === undefined || platform?.readLog === undefined || ref === null) {
    const title = published ? PLATFORMS[published.platform].title : 'The platform';
    throw new AppError('conflict', `${title} has no log of this release.`);
  }
  await countAgainst({ name: 'platform-logs', key: accountId, limit: READS_PER_HOUR, windowMs: HOUR_MS });
  const call = platformCall(ctx.providers, deployment, destination, AbortSignal.timeout(TIMEOUT_MS));
  const text = await platform.readLog(call, ref).catch((error: unknown) => Promise.reject(errorForPerson(error)));
  return { text: plainText(text.slice(-SHOWN_CHARACTERS)) };
}

function plainText(text: string): string {
  const [first = '', ...rest] = text.split(ESCAPE);
  return [first, ...rest.map((piece) => piece.replace(TERMINAL_CODE, ''))].join('').replace(NO_TEXT, '');
}
