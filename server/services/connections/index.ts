import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type {
  ConnectInput,
  Connection,
  ConnectionList,
  ListTargetsInput,
  RemoveConnectionInput,
  ReplaceConnectionInput,
  TargetList,
  TestConnectionInput,
} from '../../../routers/schemas/connections.ts';
import { CONNECTION_PROVIDERS, type ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { DONE, type Done, ID_ALPHABET, ID_LENGTH } from '../../../routers/schemas/primitives.ts';
import { AppError, notFound } from '../../errors.ts';
import { publishEvent } from '../../events/publish.ts';
import { type ConnectionDoc, ConnectionModel, type ConnectionRow } from '../../models/connection.ts';
import { DeploymentModel } from '../../models/deployment.ts';
import { UserModel } from '../../models/user.ts';
import { newId, transaction } from '../../mongo.ts';
import type { ConnectionInfo, OAuthTokens } from '../../platforms/platform.ts';
import type { AccountContext } from '../../service-context.ts';
import { toldToPerson } from '../../waiting-words.ts';
import { askTargets, askWhose } from './ask-platform.ts';
import { brokenState, currentToken, recordRefusal, sealCredential } from './credentials.ts';

/** More than a person keeps apart; the list has one page. */
const MAX_CONNECTIONS = 50;

/** A platform answers these when the credential itself is the trouble: asking again changes nothing. */
const REFUSALS: ReadonlySet<string> = new Set(['credentials_invalid', 'permission_missing', 'payment_required']);

/** Returns the account's connections, newest first, each with the deployments that publish by it. */
export async function listConnections(ctx: AccountContext): Promise<ConnectionList> {
  const { accountId } = ctx.actor;
  const docs = await ConnectionModel.find({ accountId }).sort({ createdAt: -1, _id: -1 }).limit(MAX_CONNECTIONS).lean();
  return {
    items: await toConnections(accountId, docs),
    signIn: CONNECTION_PROVIDERS.filter((id) => ctx.providers.signIn[id] !== undefined),
  };
}

/**
 * Keeps a credential once the platform has accepted it: an account has one connection of each identity, which gets the
 * new credential where there is one already. Throws what the platform answers: `credentials_invalid` on the
 * field `token`, `permission_missing`, `platform_down`, `rate_limited`; and `conflict` at 50 connections. Nothing is kept
 * once `signal` has ended the test.
 */
export function connectProvider(
  ctx: AccountContext,
  { provider, token }: ConnectInput,
  signal?: AbortSignal,
): Promise<Connection> {
  return saveConnection(ctx, provider, { token, refreshToken: null, expiresAt: null }, signal);
}

/** Does the same for tokens that sign-in at the platform gave. */
export async function saveConnection(
  ctx: AccountContext,
  provider: ConnectionProvider,
  tokens: OAuthTokens,
  signal?: AbortSignal,
): Promise<Connection> {
  const { accountId } = ctx.actor;
  const info = await askWhose(ctx, provider, tokens.token, signal);
  const doc = await transaction(async (session) => {
    // Written first: of two at once one conflicts here, runs again and finds the other's.
    await UserModel.updateOne({ _id: accountId }, { $inc: { connectionWrites: 1 } }, { session });
    const existing = await ConnectionModel.find({ accountId }).hint('account_newest').session(session).lean();
    const id = idFor(existing, { accountId, provider, subject: info.subject ?? null });
    if (existing.length >= MAX_CONNECTIONS && !existing.some(({ _id }) => _id === id)) throw tooMany();
    const set = {
      provider,
      credential: sealCredential(ctx.providers, { id, accountId }, tokens),
      isRenewable: tokens.refreshToken !== null,
      leaseEndsAt: null,
      ...working(ctx, info),
      ...(tokens.expiresAt !== null && { expiresAt: tokens.expiresAt }),
    };
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const saved = await ConnectionModel.findOneAndUpdate({ _id: id, accountId }, { $set: set }, options).orFail();
    await publishEvent(session, accountId, { type: 'analytics_update' });
    return saved;
  });
  return toConnection(accountId, doc);
}

type Subject = { accountId: string; provider: ConnectionProvider; subject: string };

/** Returns the id of the connection that this identity has, else the one that a new connection of it gets. */
function idFor(
  existing: readonly ConnectionRow[],
  { subject, ...owner }: Omit<Subject, 'subject'> & { subject: string | null },
): string {
  if (subject === null) return newId();
  const same = existing.find((one) => one.provider === owner.provider && one.subject === subject);
  if (same !== undefined) return same._id;
  const id = idOfSubject({ ...owner, subject });
  // A connection whose token was replaced by one of another person's keeps its id.
  return existing.some(({ _id }) => _id === id) ? newId() : id;
}

/** The same identity has the same id each time: connected again, it publishes what its removed connection published. */
function idOfSubject({ accountId, provider, subject }: Subject): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([accountId, provider, subject]))
    .digest();
  return [...digest.subarray(0, ID_LENGTH)].map((byte) => ID_ALPHABET.charAt(byte % ID_ALPHABET.length)).join('');
}

/** Puts another credential in the place of one that ended; its deployments publish by it from now on. Throws as above. */
export async function replaceConnection(
  ctx: AccountContext,
  input: ReplaceConnectionInput,
  signal?: AbortSignal,
): Promise<Connection> {
  const { accountId } = ctx.actor;
  const { _id: id, provider } = await findConnection(accountId, input.connectionId);
  const info = await askWhose(ctx, provider, input.token, signal);
  const tokens = { token: input.token, refreshToken: null };
  const credential = sealCredential(ctx.providers, { id, accountId }, tokens);
  return changeConnection({ _id: id, accountId }, { credential, isRenewable: false, ...working(ctx, info) });
}

/** Asks the platform whether it still accepts the credential; its answer is kept, and is the answer. */
export async function testConnection(ctx: AccountContext, input: TestConnectionInput): Promise<Connection> {
  const { accountId } = ctx.actor;
  const connection = await findConnection(accountId, input.connectionId);
  const { _id, credential, provider } = connection;
  try {
    const token = await currentToken(ctx.providers, connection);
    const { expiresAt, ...info } = working(ctx, await askWhose(ctx, provider, token));
    const ends = connection.isRenewable ? {} : { expiresAt };
    return await changeConnection({ _id, accountId }, { ...info, ...ends });
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw toldToPerson(error);
    return changeConnection({ _id, accountId, credential }, { ...brokenState(error), testedAt: ctx.now() });
  }
}

/** Teams, owners or workspaces that the credential may publish under; none where there is no choice. */
export async function listTargets(ctx: AccountContext, input: ListTargetsInput): Promise<TargetList> {
  const { accountId } = ctx.actor;
  const connection = await findConnection(accountId, input.connectionId);
  try {
    const targets = await askTargets(ctx, connection.provider, () => currentToken(ctx.providers, connection));
    return { items: targets.map(({ id, name }) => ({ id, name })) };
  } catch (error) {
    await recordRefusal(connection, error);
    throw error;
  }
}

/** Forgets a credential. Its deployments stay live, and the next connection of the same identity publishes them again. */
export async function removeConnection(ctx: AccountContext, { connectionId }: RemoveConnectionInput): Promise<Done> {
  const { accountId } = ctx.actor;
  await transaction(async (session) => {
    const removed = await ConnectionModel.findOneAndDelete({ _id: connectionId, accountId }, { session });
    if (removed === null) throw notFound('connection');
    await leaveToSubject(session, removed);
    await publishEvent(session, accountId, { type: 'analytics_update' });
  });
  return DONE;
}

/** Has its destinations name the id that the next connection of this identity has, where it had another one itself. */
async function leaveToSubject(session: ClientSession, { _id, accountId, provider, subject }: ConnectionDoc) {
  if (!subject) return;
  const id = idOfSubject({ accountId, provider, subject });
  if (id === _id) return;
  for (const field of ['connectionId', 'options.githubConnectionId']) {
    await DeploymentModel.updateMany(
      { accountId, [`destinations.${field}`]: _id },
      { $set: { [`destinations.$[one].${field}`]: id } },
      { session, arrayFilters: [{ [`one.${field}`]: _id }] },
    );
  }
}

/** Returns the connection of this id. Throws `not_found`. */
export async function findConnection(accountId: string, connectionId: string): Promise<ConnectionDoc> {
  const doc = await ConnectionModel.findOne({ _id: connectionId, accountId });
  if (doc === null) throw notFound('connection');
  return doc;
}

async function changeConnection(
  filter: { _id: string; accountId: string; credential?: string },
  set: Record<string, unknown>,
): Promise<Connection> {
  const { accountId } = filter;
  const doc = await transaction(async (session) => {
    const changed = await ConnectionModel.findOneAndUpdate(filter, { $set: set }, { session, returnDocument: 'after' });
    if (changed !== null) await publishEvent(session, accountId, { type: 'analytics_update' });
    return changed;
  });
  // It was replaced or removed while the platform was asked: what stands now is the answer.
  return toConnection(accountId, doc ?? (await findConnection(accountId, filter._id)));
}

function working(ctx: AccountContext, { identity, subject, warnings, expiresAt }: ConnectionInfo) {
  const state = 'ok' as const;
  const known = { identity, subject: subject ?? null, warnings: [...warnings], expiresAt: expiresAt ?? null };
  return { ...known, state, problem: null, testedAt: ctx.now() };
}

function tooMany(): AppError {
  return new AppError('conflict', `An account can have ${MAX_CONNECTIONS} connections. Remove one that is not used.`);
}

async function toConnection(accountId: string, doc: ConnectionDoc): Promise<Connection> {
  const [connection] = await toConnections(accountId, [doc]);
  if (connection === undefined) throw new Error('One document gave no connection.');
  return connection;
}

async function toConnections(accountId: string, docs: readonly ConnectionRow[]): Promise<Connection[]> {
  const ids = docs.map(({ _id }) => _id);
  const users = ids.length === 0 ? [] : await usersOf(accountId, ids);
  return docs.map((doc) => ({
    id: doc._id,
    provider: doc.provider,
    kind: 'platform' as const,
    identity: doc.identity,
    state: doc.state,
    problem: doc.problem ? { message: doc.problem.message, hint: doc.problem.hint ?? null } : null,
    warnings: [...doc.warnings],
    // A token that is renewed by itself does not end for the person.
    expiresAt: doc.isRenewable ? null : (doc.expiresAt ?? null),
    testedAt: doc.testedAt,
    createdAt: doc.createdAt,
    deployments: users
      .filter(({ destinations }) => destinations.some(({ connectionId }) => connectionId === doc._id))
      .map(({ _id, name }) => ({ id: _id, name })),
  }));
}

/** Returns the deployments that publish by these connections, by name. */
async function usersOf(accountId: string, ids: readonly string[]) {
  const users = await DeploymentModel.find({ accountId, 'destinations.connectionId': { $in: ids } })
    .hint('account_connection')
    .lean();
  return users.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
