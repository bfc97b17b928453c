import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import type { DnsProviderId } from '../../routers/schemas/dns-providers.ts';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../routers/schemas/platforms/titles.ts';
import { tooManyAsking, withAskingSlots } from '../account/asking-slots.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext, Providers } from '../context.ts';
import type { DnsConnectionInfo } from '../dns/provider.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { redactedLine } from '../lib/egress/vendor-answers.ts';
import { AppError } from '../lib/errors.ts';
import { errorForPerson, TRIED_AGAIN } from '../lib/remedies.ts';
import type { ConnectionCall, ConnectionInfo, Platform, Target } from '../publishing/platforms/platform.ts';

/** Each test is a request to a platform in our name: an account cannot make us send more than a person needs. */
const TESTS_PER_HOUR = 120;
/** The browser waits for 30 s (src/api/links.ts): the answer must come before that. */
const ANSWER_MS = 20_000;
/** The limits of an id or a name, and of teams to choose from: people make none that are larger. */
const TEXT_MAX = 200;
const TARGETS_MAX = 1_000;
const WARNINGS_MAX = 10;

/**
 * Asks a platform for the account of this token, while a person waits. Throws the errors of the platform; a refused
 * token is reported at the field `token`. `signal` ends it when the person has cancelled.
 */
export async function askWhose(
  ctx: AccountContext,
  provider: ConnectionProvider,
  token: string,
  signal?: AbortSignal,
): Promise<ConnectionInfo> {
  const platform = platformOf(ctx.providers, provider);
  await countTest(ctx.actor.accountId);
  const ask = async (ends: AbortSignal) =>
    bounded(await platform.verify(callWith(ctx.providers, token, ends)), [token]);
  return whilePersonWaits(ctx, provider, ask, signal).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'credentials_invalid' ? refusedToken(provider, error) : error;
  });
}

/**
 * Limits a provider's description of an account, since it is stored and shown: it is shortened, and secrets are
 * removed.
 */
export function bounded<Info extends ConnectionInfo | DnsConnectionInfo>(info: Info, secrets: readonly string[]): Info {
  const { identity, subject, warnings } = info;
  return {
    ...info,
    identity: redactedLine(identity, secrets),
    subject: subject && subject.length > TEXT_MAX ? null : subject,
    warnings: warnings.slice(0, WARNINGS_MAX).map((warning) => redactedLine(warning, secrets)),
  };
}

/**
 * Asks a platform where the token may publish, while a person waits. Throws the errors of `tokenOf` and of the
 * platform.
 */
export async function askTargets(
  ctx: AccountContext,
  provider: ConnectionProvider,
  tokenOf: () => Promise<string>,
): Promise<Target[]> {
  const platform = platformOf(ctx.providers, provider);
  await countTest(ctx.actor.accountId);
  return whilePersonWaits(ctx, provider, async (ends) =>
    platform.listTargets(callWith(ctx.providers, await tokenOf(), ends)),
  ).then(boundedTargets);
}

/** Limits the choices for a person: neither endless nor with texts that nobody reads. */
export function boundedTargets(targets: readonly Target[]): Target[] {
  return targets
    .filter(({ id, name }) => id.length <= TEXT_MAX && name.length <= TEXT_MAX)
    .slice(0, TARGETS_MAX)
    .map(({ id, name }) => ({ id, name }));
}

/**
 * Makes a request to a provider that must answer within 20 seconds or counts as down. Errors get the words for a
 * person: nothing is tried again after a call of theirs. Throws `client_closed` when `signal` ended it, and
 * `rate_limited` when there is no slot.
 */
export async function whilePersonWaits<T>(
  ctx: AccountContext,
  provider: ConnectionProvider | DnsProviderId,
  ask: (ends: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  // The timer runs while the call waits for a slot, too: the browser does not wait longer.
  const end = AbortSignal.timeout(ANSWER_MS);
  const ends = signal === undefined ? end : AbortSignal.any([signal, end]);
  try {
    const answer = await withAskingSlots(ctx, { whom: 'providers' }, () => {
      signal?.throwIfAborted();
      if (end.aborted) throw tooManyAsking();
      return ask(ends);
    });
    signal?.throwIfAborted();
    return answer;
  } catch (error) {
    if (signal?.aborted) throw new AppError('client_closed', 'The sender ended the request.', { cause: error });
    if (!end.aborted || error instanceof AppError) throw errorForPerson(error);
    const said = `${CONNECTION_TITLES[provider]} did not answer within ${ANSWER_MS / 1_000} seconds.`;
    throw new AppError('platform_down', said, { hint: TRIED_AGAIN.person, cause: error });
  }
}

/**
 * Returns a platform's refusal of a token that is being entered: at its field, and without suggesting that it worked
 * before.
 */
function refusedToken(provider: ConnectionProvider, { raw, hint }: AppError): AppError {
  const message = `${CONNECTION_TITLES[provider]} does not accept this token.`;
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

/** Makes a call with this token alone: a refusal is not recorded, since it is the answer here. */
function callWith({ egress, wait, now }: Providers, token: string, signal: AbortSignal): ConnectionCall {
  return {
    egress,
    wait,
    now: () => now(),
    signal,
    credentials: { tokenOf: async () => token, refused: async () => undefined },
  };
}

/** Counts one request that a person makes us send. Throws `rate_limited`. */
export function countTest(accountId: string): Promise<void> {
  return countAgainst({ name: 'connection-tests', key: accountId, limit: TESTS_PER_HOUR, windowMs: HOUR_MS });
}
