import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import {
  type DnsCredential,
  type DnsFields,
  dnsCredentialSchema,
  isDnsProvider,
} from '../../routers/schemas/dns-providers.ts';
import { CONNECTION_OPTIONS } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { HostingPlatform } from '../../routers/schemas/platforms/ids.ts';
import type { CredentialsOf, Providers } from '../context.ts';
import { type ConnectionDoc, ConnectionModel } from '../database/models/connection.ts';
import { transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { AppError } from '../lib/errors.ts';
import type { OAuthTokens } from '../publishing/platforms/platform.ts';

/** A token that expires sooner than this is refreshed before it is used, because the work may take a while. */
const REFRESH_AHEAD_MS = 5 * 60_000;
/** Longer than a refresh takes; after a crash in it another process takes over. */
const LEASE_MS = 60_000;
const REFRESH_TIMEOUT_MS = 30_000;
const LOOK_AGAIN_MS = 200;

type Credential = Pick<OAuthTokens, 'token' | 'refreshToken'>;
type ConnectionIds = { id: string; accountId: string };
export type CredentialProviders = Pick<Providers, 'secrets' | 'egress' | 'signIn' | 'wait' | 'now'>;

/** Returns the credentials of a destination: those of its own connection, and of the ones that its options name. */
export function createCredentialsOf(providers: CredentialProviders): CredentialsOf {
  return (accountId, { connectionId, options }) => {
    const find = async (platform: HostingPlatform): Promise<ConnectionDoc> => {
      const ids = connectionIdsOf({ connectionId, options });
      const docs = await ConnectionModel.find({ accountId, _id: { $in: ids } });
      const doc = docs.find(({ provider }) => provider === platform);
      if (doc === undefined) throw connectionMissing(CONNECTION_TITLES[platform]);
      return doc;
    };
    return {
      tokenOf: async (platform) => currentToken(providers, await find(platform)),
      refused: async (platform, error) => recordRefusal(await find(platform), error),
    };
  };
}

/** The fields of deployments that name connections. */
export const CONNECTION_FIELDS: readonly string[] = [
  'connectionId',
  ...CONNECTION_OPTIONS.map((option) => `options.${option}`),
];

/** Returns the connections that a destination publishes through: its own, and those that its options name. */
export function connectionIdsOf({ connectionId, options }: { connectionId?: unknown; options?: unknown }): string[] {
  const named = [connectionId, ...CONNECTION_OPTIONS.map((option) => optionOf(options, option))];
  return named.filter((id) => typeof id === 'string');
}

/** Returns an option of a destination; undefined when it has none with this name. */
export function optionOf(options: unknown, name: string): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
}

/**
 * Returns the sealed text for storing: it is bound to its document, so that a copy in another account's row cannot be
 * opened.
 */
export function sealCredential(
  { secrets }: Pick<Providers, 'secrets'>,
  connection: ConnectionIds,
  credential: Credential | DnsFields,
): string {
  return secrets.seal(JSON.stringify(credential), sealContext(connection));
}

/** Opens the credential for a DNS provider. Throws an Error for a connection to a platform. */
export function openDnsCredential(
  { secrets }: Pick<Providers, 'secrets'>,
  { _id: id, accountId, provider, credential }: ConnectionDoc,
): DnsCredential {
  const fields: unknown = JSON.parse(secrets.open(credential, sealContext({ id, accountId })));
  return dnsCredentialSchema.parse({ provider, fields });
}

/**
 * Returns a token for requests, refreshed first if it is about to expire. Only one of several processes refreshes,
 * under a lease, since a platform that rotates refresh tokens takes a second use for theft; the others wait for it.
 * Throws `credentials_invalid` when the platform has ended the authorization, which also turns the connection
 * `broken`.
 */
export async function currentToken(providers: CredentialProviders, connection: ConnectionDoc): Promise<string> {
  return (await currentCredential(providers, connection)).token;
}

/** Returns that token with the stored text that it came from: a write that depends on it must match this text. */
export async function currentCredential(
  providers: CredentialProviders,
  connection: ConnectionDoc,
): Promise<{ token: string; credential: string }> {
  const signal = AbortSignal.timeout(LEASE_MS);
  for (let doc = connection; ; doc = await readAgain(doc)) {
    signal.throwIfAborted();
    const { token, refreshToken } = openCredential(providers, doc);
    const now = providers.now().getTime();
    const endsAt = doc.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    const { credential } = doc;
    if (refreshToken === null || endsAt - now > REFRESH_AHEAD_MS) return { token, credential };
    if (await takeLease(doc, new Date(now))) return await refresh(providers, doc, refreshToken);
    await providers.wait(LOOK_AGAIN_MS, signal);
  }
}

/**
 * Turns a connection `broken` when this error means that the platform refuses its credential; any other error is
 * ignored. A credential that was replaced meanwhile is not blamed for its predecessor's refusal.
 */
export async function recordRefusal(connection: ConnectionDoc, error: unknown): Promise<void> {
  if (!(error instanceof AppError) || error.code !== 'credentials_invalid') return;
  const { _id, accountId, credential } = connection;
  await transaction(async (session) => {
    const turned = await ConnectionModel.updateOne(
      { _id, accountId, credential, state: 'ok' },
      { $set: brokenState(error) },
      { session },
    );
    if (turned.modifiedCount > 0) await publishEvent(session, accountId, { type: 'analytics_update' });
  });
}

/** Returns the state of a broken connection, with the refusal for the person. */
export function brokenState({ message, hint }: AppError) {
  return { state: 'broken' as const, problem: { message, hint: hint ?? null } };
}

async function refresh(
  providers: CredentialProviders,
  connection: ConnectionDoc,
  refreshToken: string,
): Promise<{ token: string; credential: string }> {
  const { _id, accountId, credential, provider } = connection;
  const signIn = isDnsProvider(provider) ? undefined : providers.signIn[provider];
  const held = { _id, accountId, credential };
  try {
    if (signIn === undefined) throw notConfigured(CONNECTION_TITLES[provider]);
    const call = {
      egress: providers.egress,
      now: () => providers.now(),
      signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS),
    };
    const tokens = await signIn.refresh(call, refreshToken);
    const renewed = sealCredential(providers, { id: _id, accountId }, tokens);
    await ConnectionModel.updateOne(held, {
      $set: { credential: renewed, expiresAt: tokens.expiresAt, leaseEndsAt: null },
    });
    return { token: tokens.token, credential: renewed };
  } catch (error) {
    await recordRefusal(connection, error);
    await ConnectionModel.updateOne(held, { $set: { leaseEndsAt: null } });
    throw error;
  }
}

async function takeLease({ _id, accountId, credential }: ConnectionDoc, now: Date): Promise<boolean> {
  const taken = await ConnectionModel.updateOne(
    { _id, accountId, credential, $or: [{ leaseEndsAt: null }, { leaseEndsAt: { $lt: now } }] },
    { $set: { leaseEndsAt: new Date(now.getTime() + LEASE_MS) } },
  );
  return taken.modifiedCount > 0;
}

async function readAgain({ _id, accountId, provider }: ConnectionDoc): Promise<ConnectionDoc> {
  const doc = await ConnectionModel.findOne({ _id, accountId });
  if (doc === null) throw connectionMissing(CONNECTION_TITLES[provider]);
  return doc;
}

function connectionMissing(title: string): AppError {
  return new AppError('credentials_invalid', `The connection to ${title} that publishes this deployment was removed.`, {
    hint: `Connect the same account at ${title} again in Settings, then try again. To publish with another account, add it to this deployment as an additional platform.`,
  });
}

function notConfigured(title: string): AppError {
  return new AppError('credentials_invalid', `This Fairlead can no longer renew its access to ${title}.`, {
    hint: `Replace the connection with a token, or ask the operator to set up sign-in with ${title} again.`,
  });
}

function openCredential(
  { secrets }: CredentialProviders,
  { _id: id, accountId, credential }: ConnectionDoc,
): Credential {
  // Only `sealCredential` writes this text, and a changed seal does not open.
  return JSON.parse(secrets.open(credential, sealContext({ id, accountId }))) as Credential;
}

function sealContext({ id, accountId }: ConnectionIds): string {
  return `connections:${id}:credential:${accountId}`;
}
