import { createHash } from 'node:crypto';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import type {
  ConnectInput,
  Connection,
  ConnectionList,
  ListTargetsInput,
  ReplaceConnectionInput,
  TargetList,
  TestConnectionInput,
} from '../../routers/schemas/connections.ts';
import {
  DNS_PROVIDER_IDS,
  type DnsFields,
  type DnsProviderId,
  isDnsProvider,
} from '../../routers/schemas/dns-providers.ts';
import { CONNECTION_PROVIDERS, type ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { ID_ALPHABET, ID_LENGTH } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { UserModel } from '../database/models/account/user.ts';
import { type ConnectionDoc, ConnectionModel, type ConnectionRow } from '../database/models/connection.ts';
import { newId, transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { errorForPerson } from '../lib/remedies.ts';
import type { ConnectionInfo, OAuthTokens, PlatformRegistry } from '../publishing/platforms/platform.ts';
import { askDns, askWhoseDns } from './ask-dns.ts';
import { askTargets, askWhose, boundedTargets } from './ask-platform.ts';
import {
  brokenState,
  currentCredential,
  currentToken,
  openDnsCredential,
  recordRefusal,
  sealCredential,
} from './credentials.ts';
import { readZones, rememberZones } from './dns-connections.ts';
import { toConnection, toConnections } from './show-connections.ts';

/** More than a person can keep apart; the list has one page. */
const MAX_CONNECTIONS = 50;

/** With these errors the credential itself is the trouble: another try changes nothing. */
const REFUSALS: ReadonlySet<string> = new Set(['credentials_invalid', 'permission_missing', 'payment_required']);

/** Returns the account's connections, newest first, each with its deployments or its domains. */
export async function listConnections(ctx: AccountContext): Promise<ConnectionList> {
  const { accountId } = ctx.actor;
  const docs = await ConnectionModel.find({ accountId }).sort({ createdAt: -1, _id: -1 }).limit(MAX_CONNECTIONS).lean();
  return {
    items: await toConnections(ctx, docs),
    signIn: CONNECTION_PROVIDERS.filter((id) => ctx.providers.signIn[id] !== undefined),
    tokenPages: tokenPages(ctx.providers.platforms),
    dnsProviders: DNS_PROVIDER_IDS.filter((id) => ctx.providers.dnsProviders[id] !== undefined),
  };
}

function tokenPages(platforms: PlatformRegistry): ConnectionList['tokenPages'] {
  const pages = CONNECTION_PROVIDERS.map((id) => [id, platforms[id]?.tokenPage] as const);
  return Object.fromEntries(pages.filter(([, page]) => page !== undefined));
}

/**
 * Stores a credential once the provider has accepted it. An account has one connection for each identity; an existing
 * one gets the new credential. Throws the errors of the provider: `credentials_invalid` on the field `token`, or on
 * one of `fields`, `permission_missing`, `platform_down`, `rate_limited`; and `conflict` at 50 connections. Nothing is
 * stored once `signal` has ended the test.
 */
export async function connectProvider(
  ctx: AccountContext,
  input: ConnectInput,
  signal?: AbortSignal,
): Promise<Connection> {
  const { provider } = input;
  if ('token' in input) {
    return saveConnection(ctx, input.provider, { token: input.token, refreshToken: null, expiresAt: null }, signal);
  }
  return saveAccepted(ctx, { provider, info: await askWhoseDns(ctx, input, signal), credential: input.fields });
}

/** Does the same for tokens from sign-in at the platform. */
export async function saveConnection(
  ctx: AccountContext,
  provider: ConnectionProvider,
  tokens: OAuthTokens,
  signal?: AbortSignal,
): Promise<Connection> {
  const info = await askWhose(ctx, provider, tokens.token, signal);
  const expiresAt = tokens.expiresAt ?? info.expiresAt ?? null;
  const { token, refreshToken } = tokens;
  return saveAccepted(ctx, { provider, info: { ...info, expiresAt }, credential: { token, refreshToken } });
}

type Accepted = {
  provider: AnyProvider;
  info: ConnectionInfo;
  credential: Pick<OAuthTokens, 'token' | 'refreshToken'> | DnsFields;
};

async function saveAccepted(ctx: AccountContext, { provider, info, credential }: Accepted): Promise<Connection> {
  const { accountId } = ctx.actor;
  const doc = await transaction(async (session) => {
    // This is written first: of two at once one conflicts here, runs again and finds the other's.
    await UserModel.updateOne({ _id: accountId }, { $inc: { connectionWrites: 1 } }, { session });
    const existing = await ConnectionModel.find({ accountId }).hint('account_newest').session(session).lean();
    const id = idFor(existing, { accountId, provider, subject: info.subject ?? null });
    if (existing.length >= MAX_CONNECTIONS && !existing.some(({ _id }) => _id === id)) throw tooMany();
    const set = {
      provider,
      credential: sealCredential(ctx.providers, { id, accountId }, credential),
      isRenewable: 'refreshToken' in credential && credential.refreshToken !== null,
      leaseEndsAt: null,
      // Another credential may open other zones: using it shows which.
      usedZones: [],
      ...working(ctx, info),
    };
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const saved = await ConnectionModel.findOneAndUpdate({ _id: id, accountId }, { $set: set }, options).orFail();
    await publishEvent(session, accountId, { type: 'analytics_update' });
    return saved;
  });
  return toConnection(ctx, doc);
}

type AnyProvider = ConnectionProvider | DnsProviderId;
type Subject = { accountId: string; provider: AnyProvider; subject: string };

/** Returns the id of this identity's connection, or the id for a new one. */
function idFor(
  existing: readonly ConnectionRow[],
  { subject, ...owner }: Omit<Subject, 'subject'> & { subject: string | null },
): string {
  if (subject === null) return newId();
  const same = existing.find((one) => one.provider === owner.provider && one.subject === subject);
  if (same !== undefined) return same._id;
  const id = idOfSubject({ ...owner, subject });
  // A connection keeps its id when its token is replaced by another person's.
  return existing.some(({ _id }) => _id === id) ? newId() : id;
}

/** Derives the id from the identity, so that a new connection publishes for the deployments of a removed one. */
export function idOfSubject({ accountId, provider, subject }: Subject): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([accountId, provider, subject]))
    .digest();
  return [...digest.subarray(0, ID_LENGTH)].map((byte) => ID_ALPHABET.charAt(byte % ID_ALPHABET.length)).join('');
}

/** Replaces an expired credential; its deployments publish with the new one. Throws as above. */
export async function replaceConnection(
  ctx: AccountContext,
  input: ReplaceConnectionInput,
  signal?: AbortSignal,
): Promise<Connection> {
  const { accountId } = ctx.actor;
  const { _id: id, provider } = await findConnection(accountId, input.connectionId);
  const { info, credential } = await replacementOf(ctx, provider, input, signal);
  const sealed = sealCredential(ctx.providers, { id, accountId }, credential);
  const filter = { _id: id, accountId };
  return changeConnection(ctx, filter, {
    credential: sealed,
    isRenewable: false,
    usedZones: [],
    ...working(ctx, info),
  });
}

async function replacementOf(
  ctx: AccountContext,
  provider: AnyProvider,
  input: ReplaceConnectionInput,
  signal: AbortSignal | undefined,
): Promise<Omit<Accepted, 'provider'>> {
  if ('token' in input && !isDnsProvider(provider)) {
    const info = await askWhose(ctx, provider, input.token, signal);
    return { info, credential: { token: input.token, refreshToken: null } };
  }
  if ('credential' in input && input.credential.provider === provider) {
    return { info: await askWhoseDns(ctx, input.credential, signal), credential: input.credential.fields };
  }
  throw new AppError('validation_failed', `These credentials are not for ${CONNECTION_TITLES[provider]}.`);
}

/** Asks the provider whether it still accepts the credential; stores the answer with that credential and returns it. */
export async function testConnection(
  ctx: AccountContext,
  input: TestConnectionInput,
  signal?: AbortSignal,
): Promise<Connection> {
  const { accountId } = ctx.actor;
  const connection = await findConnection(accountId, input.connectionId);
  const asked = { _id: connection._id, accountId, credential: connection.credential };
  try {
    const { expiresAt, ...info } = working(ctx, await askWhoseConnection(ctx, connection, asked, signal));
    const ends = connection.isRenewable ? {} : { expiresAt };
    return await changeConnection(ctx, asked, { ...info, ...ends });
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw errorForPerson(error);
    return changeConnection(ctx, asked, { ...brokenState(error), testedAt: ctx.now() });
  }
}

/** Records in `asked` the credential in question, which may have been renewed for it. */
async function askWhoseConnection(
  ctx: AccountContext,
  connection: ConnectionDoc,
  asked: { credential: string },
  signal?: AbortSignal,
): Promise<ConnectionInfo> {
  const { provider } = connection;
  if (!isDnsProvider(provider)) {
    const { token, credential } = await currentCredential(ctx.providers, connection);
    asked.credential = credential;
    return askWhose(ctx, provider, token, signal);
  }
  const info = await askWhoseDns(ctx, openDnsCredential(ctx.providers, connection), signal);
  if (connection.usedZones.length > 0)
    await rememberZones(ctx.providers, connection, { zones: await askDns(ctx, connection, readZones) });
  return info;
}

/**
 * Returns teams, owners or workspaces that the credential may publish under, empty when there is no choice; for a DNS
 * provider, the zones that it opens.
 */
export async function listTargets(ctx: AccountContext, input: ListTargetsInput): Promise<TargetList> {
  const connection = await findConnection(ctx.actor.accountId, input.connectionId);
  const { provider } = connection;
  if (isDnsProvider(provider)) return { items: boundedTargets(await askDns(ctx, connection, readZones)) };
  try {
    return { items: await askTargets(ctx, provider, () => currentToken(ctx.providers, connection)) };
  } catch (error) {
    await recordRefusal(connection, error);
    throw error;
  }
}

/** Returns the connection of this id. Throws `not_found`. */
export async function findConnection(accountId: string, connectionId: string): Promise<ConnectionDoc> {
  const doc = await ConnectionModel.findOne({ _id: connectionId, accountId });
  if (doc === null) throw notFound('connection');
  return doc;
}

async function changeConnection(
  ctx: AccountContext,
  filter: { _id: string; accountId: string; credential?: string },
  set: Record<string, unknown>,
): Promise<Connection> {
  const { accountId } = filter;
  const doc = await transaction(async (session) => {
    const changed = await ConnectionModel.findOneAndUpdate(filter, { $set: set }, { session, returnDocument: 'after' });
    if (changed !== null) await publishEvent(session, accountId, { type: 'analytics_update' });
    return changed;
  });
  // It was replaced or removed while the platform was asked: the current state is the answer.
  return toConnection(ctx, doc ?? (await findConnection(accountId, filter._id)));
}

function working(ctx: AccountContext, { identity, subject, warnings, expiresAt }: ConnectionInfo) {
  const state = 'ok' as const;
  const known = { identity, subject: subject ?? null, warnings: [...warnings], expiresAt: expiresAt ?? null };
  return { ...known, state, problem: null, testedAt: ctx.now() };
}

function tooMany(): AppError {
  return new AppError('conflict', `An account can have ${MAX_CONNECTIONS} connections. Remove an unused one.`);
}
