import type { ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { HOUR_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import type { ConnectionCall, ConnectionInfo, Platform, Target } from '../../platforms/platform.ts';
import type { AccountContext, Providers } from '../../service-context.ts';
import { TRIED_AGAIN, toldToPerson } from '../../waiting-words.ts';
import { countAgainst } from '../rate-limit.ts';

/** Each test is a request to a platform in our name: an account cannot make us send more than a person needs. */
const TESTS_PER_HOUR = 120;
/** The browser waits for 30 s (src/api/links.ts): the answer comes before it gives up. */
const ANSWER_MS = 20_000;

/**
 * Asks a platform whose token this is, while a person waits. Throws what the platform answers; a refusal of the token is
 * said at the field `token`. `signal` ends it: the person has cancelled.
 */
export async function askWhose(
  ctx: AccountContext,
  provider: ConnectionProvider,
  token: string,
  signal?: AbortSignal,
): Promise<ConnectionInfo> {
  const platform = platformOf(ctx.providers, provider);
  await countTest(ctx.actor.accountId);
  const ask = (ends: AbortSignal) => platform.verify(callWith(ctx.providers, token, ends));
  return whilePersonWaits(provider, ask, signal).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'credentials_invalid' ? refusedToken(provider, error) : error;
  });
}

/** Asks a platform where the token may publish, while a person waits. Throws what `tokenOf` and the platform answer. */
export async function askTargets(
  ctx: AccountContext,
  provider: ConnectionProvider,
  tokenOf: () => Promise<string>,
): Promise<readonly Target[]> {
  const platform = platformOf(ctx.providers, provider);
  await countTest(ctx.actor.accountId);
  return whilePersonWaits(provider, async (ends) =>
    platform.listTargets(callWith(ctx.providers, await tokenOf(), ends)),
  );
}

/**
 * Asks something of a platform that answers within 20 seconds or is down, and gives its errors the words for a person:
 * nothing is tried again after a call of theirs. Throws `client_closed` when `signal` ended it.
 */
export async function whilePersonWaits<T>(
  provider: ConnectionProvider,
  ask: (ends: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const end = AbortSignal.timeout(ANSWER_MS);
  const title = HOSTING_TITLES[provider];
  try {
    const answer = await ask(signal === undefined ? end : AbortSignal.any([signal, end]));
    signal?.throwIfAborted();
    return answer;
  } catch (error) {
    if (signal?.aborted) throw new AppError('client_closed', 'The sender ended the request.', { cause: error });
    if (!end.aborted || error instanceof AppError) throw toldToPerson(error);
    const said = `${title} did not answer within ${ANSWER_MS / 1_000} seconds.`;
    throw new AppError('platform_down', said, { hint: TRIED_AGAIN.person, cause: error });
  }
}

/**
 * Returns the platform's refusal of a token that is being typed in: said at its field, and not as if it had worked
 * before.
 */
function refusedToken(provider: ConnectionProvider, { raw, hint }: AppError): AppError {
  const message = `${HOSTING_TITLES[provider]} does not accept this token.`;
  return new AppError('credentials_invalid', message, { field: 'token', fieldErrors: { token: message }, raw, hint });
}

function platformOf({ platforms }: Providers, provider: ConnectionProvider): Platform {
  const platform = platforms[provider];
  if (platform === undefined) {
    const title = HOSTING_TITLES[provider];
    throw new AppError('platform_unavailable', `Publishing to ${title} is not available in this version.`);
  }
  return platform;
}

/** A call with this token alone: nothing is noted of a refusal, which is the answer here. */
function callWith({ egress, wait, now }: Providers, token: string, signal: AbortSignal): ConnectionCall {
  return {
    egress,
    wait,
    now: () => now(),
    signal,
    credentials: { tokenOf: async () => token, refused: async () => undefined },
  };
}

function countTest(accountId: string): Promise<void> {
  return countAgainst({ name: 'connection-tests', key: accountId, limit: TESTS_PER_HOUR, windowMs: HOUR_MS });
}
