import { createHash, randomBytes } from 'node:crypto';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import type {
  Authorization,
  AuthorizeConnectionInput,
  Connection,
  FinishAuthorizationInput,
} from '../../routers/schemas/connections.ts';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import type { AccountContext, Providers } from '../context.ts';
import { AuthorizationRequestModel } from '../database/models/authorization-request.ts';
import { newId } from '../database/mongo.ts';
import { AppError } from '../lib/errors.ts';
import type { PlatformSignIn } from '../publishing/platforms/platform.ts';
import { countTest, whilePersonWaits } from './ask-platform.ts';
import { saveConnection } from './index.ts';

/** A person may take this long at the platform, sign-in and second factor included. */
const REQUEST_LIFE_MS = 15 * 60_000;
const RANDOM_BYTES = 32;

/** Begins sign-in at a platform; the person's browser goes to the returned address. Throws `platform_unavailable`. */
export async function authorizeConnection(
  ctx: AccountContext,
  { provider }: AuthorizeConnectionInput,
): Promise<Authorization> {
  const { accountId } = ctx.actor;
  const signIn = signInAt(ctx.providers, provider);
  // The screen that the person returns to reads the platform from it.
  const state = `${provider}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  const verifier = randomBytes(RANDOM_BYTES).toString('base64url');
  await AuthorizationRequestModel.updateOne(
    { accountId, provider },
    {
      $set: {
        stateHash: hashState(state),
        verifier: ctx.providers.secrets.seal(verifier, sealContext(accountId, provider)),
        expiresAt: new Date(ctx.now().getTime() + REQUEST_LIFE_MS),
      },
      $setOnInsert: { _id: newId() },
    },
    { upsert: true },
  );
  return { url: signIn.authorizeUrl({ state, verifier, redirectUri: redirectUri(ctx.providers) }) };
}

/**
 * Completes sign-in at a platform. The request must be this account's own: a way back that somebody else sent would
 * connect the reader's platform to the sender's account (RFC 6749, section 10.12). Throws `token_invalid` when it is
 * not, or has expired or been used, `credentials_invalid`, and the errors of the first test.
 */
export async function finishAuthorization(
  ctx: AccountContext,
  { provider, code, state }: FinishAuthorizationInput,
): Promise<Connection> {
  const { accountId } = ctx.actor;
  const signIn = signInAt(ctx.providers, provider);
  const request = await AuthorizationRequestModel.findOneAndDelete({
    accountId,
    provider,
    stateHash: hashState(state),
    expiresAt: { $gt: ctx.now() },
  });
  if (request === null) {
    throw new AppError('token_invalid', 'This sign-in has expired or was started in another account.', {
      hint: `Connect ${CONNECTION_TITLES[provider]} again.`,
    });
  }
  const { egress, secrets } = ctx.providers;
  const verifier = secrets.open(request.verifier, sealContext(accountId, provider));
  await countTest(accountId);
  const tokens = await whilePersonWaits(ctx, provider, (ends) =>
    signIn.exchangeCode(
      { egress, now: ctx.now, signal: ends },
      { code, verifier, redirectUri: redirectUri(ctx.providers) },
    ),
  );
  return saveConnection(ctx, provider, tokens);
}

function signInAt({ signIn }: Providers, provider: ConnectionProvider): PlatformSignIn {
  const found = signIn[provider];
  if (found === undefined) {
    const title = CONNECTION_TITLES[provider];
    throw new AppError('platform_unavailable', `Sign-in with ${title} is not set up on this Fairlead.`, {
      hint: 'Paste a token instead.',
    });
  }
  return found;
}

/** Returns the screen to which the platform sends the browser back; the operator has registered it with the client. */
function redirectUri({ addresses }: Providers): string {
  return `${addresses.publicUrl}/settings`;
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

function sealContext(accountId: string, provider: ConnectionProvider): string {
  return `authorization_requests:${provider}:verifier:${accountId}`;
}
