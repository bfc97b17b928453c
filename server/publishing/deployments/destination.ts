import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import type { CreateDeploymentInput } from '../../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { PLATFORM_OPTIONS, type PlatformOptions } from '../../../routers/schemas/platforms/options.ts';
import type { AccountContext } from '../../context.ts';
import { ConnectionModel } from '../../database/models/connection.ts';
import { newId } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';

export type DestinationInput = Pick<CreateDeploymentInput, 'platform' | 'connectionId' | 'targetId' | 'options'>;

export type NewDestination = {
  _id: string;
  platform: PlatformId;
  connectionId: string | null;
  targetId: string | null;
  options: PlatformOptions;
};

/**
 * Checks where a deployment is to be published: the platform exists, its connection belongs to the account and to this
 * platform, and every required consent was given. Without a `connectionId` the only connection is taken. Throws
 * `platform_unavailable`, `not_found`, and `validation_failed` on `connectionId` or `options`.
 */
export async function resolveDestination(ctx: AccountContext, input: DestinationInput): Promise<NewDestination> {
  const platform = ctx.providers.platforms[input.platform];
  if (platform === undefined) throw platformUnavailable(input.platform);
  const { requires, furtherConnections } = platform.capabilities;
  const options = readOptions(input.platform, input.options ?? {});
  for (const { provider, option } of furtherConnections) {
    const named = options[option];
    options[option] = await connectionOf(ctx, provider, typeof named === 'string' ? named : undefined, 'options');
  }
  return {
    _id: newId(),
    platform: input.platform,
    connectionId: requires.includes('connection')
      ? await connectionOf(ctx, input.platform, input.connectionId, 'connectionId')
      : null,
    targetId: input.targetId ?? null,
    options,
  };
}

async function connectionOf(
  ctx: AccountContext,
  platform: PlatformId,
  named: string | undefined,
  field: string,
): Promise<string> {
  const { accountId } = ctx.actor;
  const title = CONNECTION_TITLES[platform];
  // The list of an account's connections is short, and is in the index by account.
  const connections = await ConnectionModel.find({ accountId }).hint('account_newest').lean();
  const ofPlatform = connections.filter(({ provider }) => provider === platform);
  const found = named === undefined ? ofPlatform : ofPlatform.filter(({ _id }) => _id === named);
  const [only] = found;
  if (only === undefined) {
    throw invalid(field, named === undefined ? `Connect ${title} first.` : `This is not a connection to ${title}.`);
  }
  if (found.length > 1) throw invalid(field, `Choose which connection to ${title} publishes this deployment.`);
  return only._id;
}

/** Validates the options by the schema of the platform, consents included; the message is written for a person. */
function readOptions(platform: PlatformId, given: PlatformOptions): PlatformOptions {
  const parsed = PLATFORM_OPTIONS[platform].safeParse(given);
  if (parsed.success) return { ...parsed.data };
  const [issue] = parsed.error.issues;
  const isUnknown = issue === undefined || issue.code === 'unrecognized_keys';
  const message = `${PLATFORMS[platform].title} does not take these options.`;
  throw invalid('options', isUnknown ? message : issue.message);
}

function invalid(field: string, message: string): AppError {
  return new AppError('validation_failed', message, { field, fieldErrors: { [field]: message } });
}

function platformUnavailable(platform: PlatformId): AppError {
  const { title } = PLATFORMS[platform];
  return new AppError('platform_unavailable', `Publishing to ${title} is not available in this version.`, {
    field: 'platform',
    hint: 'Publish on the built-in host.',
  });
}
