import { callTRPCProcedure } from '@trpc/server';
import mongoose from 'mongoose';
import { afterAll, expect, test } from 'vitest';
import { appRouter } from '../../routers/_app.ts';
import { toAppError } from '../../routers/error-shape.ts';
import { licenseKeyOf } from '../../routers/schemas/license-key.ts';
import type { Scope } from '../../routers/schemas/tokens.ts';
import { authenticate } from '../../server/account/auth/index.ts';
import type { Actor, ServiceContext } from '../../server/context.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { newId } from '../../server/database/mongo.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';

/**
 * Walks the router: every procedure says here who may call it and with what, and is then called by nobody, by tokens
 * of each scope, with another account's ids and with fields that are not its own. `cookie`: a caller without a refresh
 * cookie is nobody, whatever else they send.
 */
type Access = 'public' | 'public-write' | 'read' | 'write' | 'session' | 'cookie';
type Case = {
  access: Access;
  /** An input that the schema takes, with ids of the owner. */
  input?: (owned: Owned) => Record<string, unknown>;
  /** Keys of the input that name objects of an account. */
  ids?: readonly string[];
};
type Owned = {
  deploymentId: string;
  destinationId: string;
  releaseId: string;
  uploadId: string;
  tokenId: string;
  sessionId: string;
  connectionId: string;
  domainId: string;
  certificateId: string;
  reportId: string;
  licenseId: string;
  paymentId: string;
};

const MAILED = 'A'.repeat(43);
const PASSWORD = 'Correct horse 1';

const ofDestination = ({ deploymentId, destinationId }: Owned) => ({ deploymentId, destinationId });
const chosenDomains = ({ deploymentId, domainId }: Owned) => ({ deploymentId, domainIds: [domainId] });

const CASES: Record<string, Case> = {
  'user.get': { access: 'read' },
  'user.notifications': { access: 'session' },
  'user.update': { access: 'session', input: () => ({ username: `walked ${newId()}` }) },
  'user.updateNotifications': { access: 'session', input: () => ({ releaseFailed: true, releaseLive: true }) },
  'auth.sessions': { access: 'session' },
  'auth.register': {
    access: 'public',
    input: () => ({ username: `walker ${newId()}`, email: `${newId()}@example.com`, password: PASSWORD }),
  },
  'auth.login': { access: 'public', input: () => ({ username: `nobody ${newId()}`, password: PASSWORD }) },
  'auth.refresh': { access: 'cookie' },
  'auth.logout': { access: 'public' },
  'auth.forgotPassword': { access: 'public', input: () => ({ email: `${newId()}@example.com` }) },
  'auth.checkResetLink': { access: 'public', input: () => ({ token: MAILED }) },
  'auth.resetPassword': { access: 'public', input: () => ({ token: MAILED, password: PASSWORD }) },
  'auth.changePassword': { access: 'session', input: () => ({ currentPassword: 'wrong one', newPassword: PASSWORD }) },
  'auth.sendConfirmation': { access: 'session' },
  'auth.confirmEmail': { access: 'public', input: () => ({ token: MAILED }) },
  'auth.changeEmail': { access: 'session', input: () => ({ email: 'a@example.com', currentPassword: 'wrong one' }) },
  'auth.stopEmailChange': { access: 'public', input: () => ({ token: MAILED }) },
  'auth.revokeSession': { access: 'session', input: ({ sessionId }) => ({ sessionId }), ids: ['sessionId'] },
  'subscription.get': { access: 'read' },
  'subscription.allowance': { access: 'read' },
  'subscription.startTrial': { access: 'write' },
  'subscription.cancel': { access: 'session' },
  'subscription.resume': { access: 'session' },
  'subscription.change': { access: 'session', input: () => ({ plan: 'BASIC' }) },
  'subscription.chooseWritable': {
    access: 'session',
    input: ({ deploymentId }) => ({ deploymentIds: [deploymentId] }),
    ids: ['deploymentIds'],
  },
  'domains.chooseWritable': { access: 'session', input: chosenDomains, ids: ['deploymentId', 'domainIds'] },
  'payments.list': { access: 'read' },
  'payments.portal': { access: 'session' },
  'payments.get': { access: 'read', input: ({ paymentId }) => ({ paymentId }), ids: ['paymentId'] },
  'payments.checkout': { access: 'write', input: () => ({ plan: 'BASIC' }) },
  'payments.answerTest': {
    access: 'session',
    input: ({ paymentId }) => ({ paymentId, answer: 'later' }),
    ids: ['paymentId'],
  },
  'feedback.rate': {
    access: 'public-write',
    input: ({ deploymentId }) => ({ rating: 5, deploymentId }),
    ids: ['deploymentId'],
  },
  'analytics.visits': {
    access: 'read',
    input: ({ deploymentId }) => ({ deploymentId, days: 7, timeZone: 'Europe/Berlin' }),
    ids: ['deploymentId'],
  },
  'analytics.releases': {
    access: 'read',
    input: ({ deploymentId }) => ({ deploymentId, days: 30 }),
    ids: ['deploymentId'],
  },
  'analytics.download': {
    access: 'read',
    input: ({ deploymentId }) => ({ deploymentId, days: 7, timeZone: 'UTC', table: 'pages' }),
    ids: ['deploymentId'],
  },
  'account.export': { access: 'session' },
  'account.confirmDeletion': { access: 'public', input: () => ({ token: MAILED }) },
  'account.delete': { access: 'session', input: () => ({ username: 'nobody', currentPassword: 'wrong one' }) },
  'contact.get': { access: 'public' },
  'contact.send': { access: 'public-write', input: () => ({ name: 'a', email: 'a@example.com', message: 'b' }) },
  'disclaimer.status': { access: 'public' },
  'disclaimer.accept': { access: 'public-write' },
  'events.stream': { access: 'read', input: () => ({}) },
  'events.sendTest': { access: 'write', input: () => ({ message: 'a' }) },
  'tokens.list': { access: 'session' },
  'tokens.create': { access: 'session', input: () => ({ name: 'a', scopes: ['read'], currentPassword: 'wrong one' }) },
  'tokens.revoke': { access: 'session', input: ({ tokenId }) => ({ tokenId }), ids: ['tokenId'] },
  'licenses.list': { access: 'read' },
  'licenses.redeem': { access: 'write', input: () => ({ key: licenseKeyOf('0'.repeat(24)) }) },
  'licenses.transfer': { access: 'session', input: ({ licenseId }) => ({ licenseId }), ids: ['licenseId'] },
  'licenses.revoke': { access: 'session', input: ({ licenseId }) => ({ licenseId }), ids: ['licenseId'] },
  'domains.list': { access: 'read', input: ({ deploymentId }) => ({ deploymentId }) },
  'domains.get': { access: 'read', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'domains.checkName': { access: 'read', input: () => ({ name: 'walked-elsewhere.test' }) },
  'domains.setupOffer': { access: 'read', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'domains.lastPlan': { access: 'read', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'domains.add': {
    access: 'write',
    input: ({ deploymentId }) => ({ deploymentId, name: `${newId()}.test` }),
    ids: ['deploymentId'],
  },
  'domains.check': { access: 'write', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'domains.plan': { access: 'write', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'domains.applyPlan': { access: 'write', input: () => ({ planId: newId() }) },
  'domains.undoPlan': { access: 'write', input: () => ({ planId: newId() }) },
  'domains.update': {
    access: 'write',
    input: ({ domainId }) => ({ domainId, servedName: 'walked.test' }),
    ids: ['domainId'],
  },
  'domains.remove': { access: 'write', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'certificates.list': { access: 'read', input: ({ domainId }) => ({ domainId }) },
  'certificates.get': { access: 'read', input: ({ certificateId }) => ({ certificateId }), ids: ['certificateId'] },
  'certificates.issue': { access: 'write', input: ({ domainId }) => ({ domainId }), ids: ['domainId'] },
  'certificates.renew': { access: 'write', input: ({ certificateId }) => ({ certificateId }), ids: ['certificateId'] },
  'certificates.revoke': { access: 'write', input: ({ certificateId }) => ({ certificateId }), ids: ['certificateId'] },
  'certificates.rehearse': {
    access: 'write',
    input: ({ certificateId }) => ({ certificateId }),
    ids: ['certificateId'],
  },
  'diagnostics.list': { access: 'read', input: ({ deploymentId }) => ({ deploymentId }) },
  'diagnostics.get': { access: 'read', input: ({ reportId }) => ({ reportId }), ids: ['reportId'] },
  'diagnostics.health': { access: 'read', input: ({ deploymentId }) => ({ deploymentIds: [deploymentId] }) },
  'diagnostics.check': { access: 'write', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'diagnostics.shared': { access: 'public', input: () => ({ token: MAILED }) },
  'diagnostics.run': { access: 'write', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'diagnostics.share': { access: 'write', input: ({ reportId }) => ({ reportId }), ids: ['reportId'] },
  'diagnostics.stopSharing': { access: 'write', input: ({ reportId }) => ({ reportId }), ids: ['reportId'] },
  'connections.list': { access: 'read' },
  'connections.targets': { access: 'read', input: ({ connectionId }) => ({ connectionId }), ids: ['connectionId'] },
  'connections.connect': { access: 'session', input: () => ({ provider: 'netlify', token: 'walked' }) },
  'connections.authorize': { access: 'session', input: () => ({ provider: 'netlify' }) },
  'connections.finishAuthorization': {
    access: 'session',
    input: () => ({ provider: 'netlify', code: 'walked', state: 'walked' }),
  },
  'connections.replace': {
    access: 'session',
    input: ({ connectionId }) => ({ connectionId, token: 'walked' }),
    ids: ['connectionId'],
  },
  'connections.test': { access: 'write', input: ({ connectionId }) => ({ connectionId }), ids: ['connectionId'] },
  'connections.remove': { access: 'session', input: ({ connectionId }) => ({ connectionId }), ids: ['connectionId'] },
  'deployments.list': { access: 'read', input: () => ({}) },
  'deployments.get': { access: 'read', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'deployments.checkAddress': {
    access: 'read',
    input: ({ deploymentId }) => ({ deploymentId, slug: 'walked-elsewhere' }),
    ids: ['deploymentId'],
  },
  'deployments.create': { access: 'write', input: () => ({ name: 'a', platform: 'built-in' }) },
  'deployments.preflight': { access: 'write', input: () => ({ name: 'a', platform: 'built-in' }) },
  'deployments.update': {
    access: 'write',
    input: ({ deploymentId }) => ({ deploymentId, name: 'b' }),
    ids: ['deploymentId'],
  },
  'deployments.rollBack': {
    access: 'write',
    input: ({ deploymentId, releaseId }) => ({ deploymentId, releaseId }),
    ids: ['deploymentId', 'releaseId'],
  },
  'deployments.addDestination': {
    access: 'write',
    input: ({ deploymentId }) => ({ deploymentId, platform: 'built-in' }),
    ids: ['deploymentId'],
  },
  'deployments.removeDestination': { access: 'write', input: ofDestination, ids: ['deploymentId', 'destinationId'] },
  'deployments.retryDestination': { access: 'write', input: ofDestination, ids: ['deploymentId', 'destinationId'] },
  'deployments.makePrimary': { access: 'write', input: ofDestination, ids: ['deploymentId', 'destinationId'] },
  'deployments.remove': { access: 'write', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'deployments.leftSites': { access: 'read', input: () => ({}) },
  'deployments.dismissLeftSite': { access: 'write', input: ({ deploymentId }) => ({ id: deploymentId }) },
  'releases.list': { access: 'read', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'releases.get': { access: 'read', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'releases.platformLog': { access: 'read', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'releases.diff': {
    access: 'read',
    input: ({ releaseId }) => ({ releaseId, against: releaseId }),
    ids: ['releaseId', 'against'],
  },
  'releases.download': { access: 'read', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'releases.preview': { access: 'write', input: ({ uploadId }) => ({ uploadId }), ids: ['uploadId'] },
  'releases.prepare': { access: 'write', input: ({ deploymentId }) => ({ deploymentId }), ids: ['deploymentId'] },
  'releases.create': {
    access: 'write',
    input: ({ deploymentId, uploadId }) => ({ deploymentId, uploadId }),
    ids: ['deploymentId', 'uploadId'],
  },
  'releases.cancel': { access: 'write', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'releases.handOff': { access: 'read', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'releases.confirm': {
    access: 'write',
    input: ({ releaseId }) => ({ releaseId, url: 'https://name.replit.app' }),
    ids: ['releaseId'],
  },
  'releases.retry': { access: 'write', input: ({ releaseId }) => ({ releaseId }), ids: ['releaseId'] },
  'simulation.failures': { access: 'read', input: () => ({ platform: 'built-in', withDomain: true }) },
  'simulation.run': { access: 'write', input: () => ({ platform: 'built-in', withDomain: true }) },
  'recommendations.rank': { access: 'read', input: ({ uploadId }) => ({ uploadId }), ids: ['uploadId'] },
};

/** An id that is listed by a filter finds nothing instead of being looked up. */
const LISTED_BY_FILTER: Record<string, unknown> = { 'releases.list': { items: [], rollBacks: [], nextCursor: null } };

const PATHS = Object.keys(appRouter._def.procedures);

test('every procedure has a case here, and no case is left of one that is gone', () => {
  expect(Object.keys(CASES).sort()).toEqual([...PATHS].sort());
});

/** Items of a stream are checked one by one, each against `streamItemSchema` (server/events/stream.ts). */
const WITHOUT_OUTPUT = ['events.stream'];

test('every procedure says what it answers', () => {
  const procedures: Record<string, { _def: object }> = flatProcedures();
  const silent = PATHS.filter((path) => {
    const definition = procedures[path]?._def ?? {};
    return !('output' in definition) || definition.output === undefined;
  });
  expect(silent).toEqual(WITHOUT_OUTPUT);
});

/** Returns the code that a call ends with; `null` when it succeeds. */
async function codeOf(path: string, ctx: ServiceContext, input: unknown): Promise<string | null> {
  return (await resultOf(path, ctx, input)).code;
}

async function resultOf(
  path: string,
  ctx: ServiceContext,
  input: unknown,
): Promise<{ code: string | null; fields: string[]; answer: unknown }> {
  const procedures: Record<string, { _def: { type: 'query' | 'mutation' | 'subscription' } }> = flatProcedures();
  const stop = new AbortController();
  try {
    const answer: unknown = await callTRPCProcedure({
      router: appRouter,
      path,
      getRawInput: async () => input,
      ctx,
      type: procedures[path]?._def.type ?? 'query',
      signal: stop.signal,
      batchIndex: 0,
    });
    return { code: null, fields: [], answer };
  } catch (error) {
    const { code, fieldErrors = {} } = toAppError(error);
    return { code, fields: Object.keys(fieldErrors), answer: undefined };
  } finally {
    stop.abort();
  }
}

/** tRPC keeps its procedures by their whole path, and types them as a tree. */
function flatProcedures(): Record<string, { _def: { type: 'query' | 'mutation' | 'subscription' } }> {
  return appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: 'query' | 'mutation' | 'subscription' } }
  >;
}

async function ownedBy(app: TestApp, person: Person): Promise<Owned> {
  const deployment = await person.caller.deployments.create({ name: 'walked', platform: 'built-in' });
  const deploymentId = deployment.id;
  const destinationId = deployment.destinations[0]?.id ?? '';
  const release = await publish(app, person, deployment, { 'index.html': person.user.id });
  expect(release.state).toBe('live');
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  const { id: tokenId } = await person.caller.tokens.create({
    name: 'walked',
    scopes: ['read'],
    currentPassword: person.password,
  });
  const { id: domainId } = await person.caller.domains.add({ deploymentId, name: 'walked.test' });
  const [session] = (await person.caller.auth.sessions()).items;
  const connection = await ConnectionModel.create({
    _id: newId(),
    accountId: person.user.id,
    provider: 'netlify',
    credential: 'sealed',
    identity: 'walked',
    warnings: [],
    testedAt: new Date(),
  });
  const certificate = await CertificateModel.create({
    ...{ _id: newId(), accountId: person.user.id, domainId, names: ['walked.test'], history: [] },
  });
  const { reportId } = await person.caller.diagnostics.run({ deploymentId });
  const [key = ''] = await makeLicenses(
    { plan: 'PRO', months: 1, count: 1, redeemBy: null, note: '' },
    app.providers.now(),
  );
  const { id: licenseId } = await person.caller.licenses.redeem({ key });
  const sessionId = session?.id ?? newId();
  return {
    deploymentId,
    destinationId,
    releaseId: release.id,
    uploadId,
    tokenId,
    sessionId,
    connectionId: connection._id,
    domainId,
    certificateId: certificate._id,
    reportId,
    licenseId,
    paymentId: (await person.caller.payments.checkout({ plan: 'PRO' })).url.slice(-20),
  };
}

const RANDOM: Owned = {
  deploymentId: newId(),
  releaseId: newId(),
  uploadId: newId(),
  tokenId: newId(),
  connectionId: newId(),
  domainId: newId(),
  certificateId: newId(),
  reportId: newId(),
  licenseId: newId(),
  paymentId: newId(),
  destinationId: newId(),
  sessionId: newId(),
};

const entries = Object.entries(CASES).map(([path, entry]) => ({ path, ...entry }));
const inputOf = ({ input }: Case, owned: Owned): Record<string, unknown> | undefined => input?.(owned);

/**
 * Made once: no call removes or locks what another needs. Nothing is waited for, since a platform where nobody listens is
 * asked again and again.
 */
let made: ReturnType<typeof makeApp> | undefined;

async function makeApp() {
  const app = await createTestApp({ providers: { wait: async (_ms, signal) => signal.throwIfAborted() } });
  const person = await app.trialPerson();
  const { actor } = await authenticate(app.providers, person.accessToken);
  const [reading, writing] = [await actorOfToken(app, person, ['read']), await actorOfToken(app, person, ['write'])];
  return { app, session: () => app.context(actor), token: { read: reading, write: writing } };
}

function theApp(): ReturnType<typeof makeApp> {
  made ??= makeApp();
  return made;
}

async function actorOfToken(app: TestApp, person: Person, scopes: Scope[]): Promise<Actor> {
  const { secret } = await person.caller.tokens.create({
    name: scopes.join(),
    scopes,
    currentPassword: person.password,
  });
  return (await authenticate(app.providers, secret)).actor;
}

afterAll(async () => (await made)?.app[Symbol.asyncDispose]());

/** Codes for a caller who may not call the procedure at all. */
const REFUSALS = ['scope_missing', 'session_required', 'unauthenticated'];

test.each(entries)('$path: nobody in particular gets no further than its access says', async (entry) => {
  const { app } = await theApp();

  const code = await codeOf(entry.path, app.context({ kind: 'anonymous' }), inputOf(entry, RANDOM));

  const isPublic = entry.access === 'public' || entry.access === 'public-write';
  if (!isPublic) expect(code).toBe('unauthenticated');
  else expect([...REFUSALS, 'validation_failed', 'internal']).not.toContain(code);
});

test.each(entries)('$path: an API token reaches it by the right scope only', async (entry) => {
  const { app, token } = await theApp();
  const input = inputOf(entry, RANDOM);

  const read = await codeOf(entry.path, app.context(token.read), input);
  const write = await codeOf(entry.path, app.context(token.write), input);

  const refused = (code: string | null): string | null => (code !== null && REFUSALS.includes(code) ? code : null);
  const expected = {
    public: [null, null],
    'public-write': ['scope_missing', null],
    read: [null, null],
    write: ['scope_missing', null],
    session: ['session_required', 'session_required'],
    cookie: ['unauthenticated', 'unauthenticated'],
  } as const;
  expect([refused(read), refused(write)]).toEqual(expected[entry.access]);
});

/** Two accounts that own one thing of each kind; made once, since none of those who use it writes anything. */
let strangers: Awaited<ReturnType<typeof makeStrangers>> | undefined;

async function makeStrangers() {
  const app = await createPublishingApp();
  const [owner, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const [owned, own] = [await ownedBy(app, owner), await ownedBy(app, stranger)];
  // What its visitors did is written by now, and not in the middle of a test.
  await app.host.stop();
  return { app, owned, own, actor: (await authenticate(app.providers, stranger.accessToken)).actor };
}

afterAll(() => strangers?.app[Symbol.asyncDispose]());

test.each(entries.filter(({ ids }) => ids !== undefined))(
  "$path: another account's object is not found, and nothing is written",
  async (entry) => {
    strangers ??= await makeStrangers();
    const { app, owned, own, actor } = strangers;
    const before = await databaseHash();

    for (const id of entry.ids ?? []) {
      // One foreign id among one's own: each is looked at for itself.
      const input = { ...inputOf(entry, own), [id]: inputOf(entry, owned)?.[id] };
      const { code, answer } = await resultOf(entry.path, app.context(actor), input);
      if (entry.path in LISTED_BY_FILTER) expect(answer).toEqual(LISTED_BY_FILTER[entry.path]);
      else expect(code, id).toBe('not_found');
    }

    expect(await databaseHash()).toEqual(before);
  },
);

test.each(entries)('$path: unknown fields and fields of the owner are refused', async (entry) => {
  const { session } = await theApp();

  for (const stray of ['accountId', 'isBetaTester', 'plan', '$where']) {
    const input = { ...inputOf(entry, RANDOM), [stray]: 'x' };
    expect(await codeOf(entry.path, session(), input), stray).toBe('validation_failed');
  }
});

test.each(entries.filter(({ input }) => Object.keys(input?.(RANDOM) ?? {}).length > 0))(
  '$path: what a field cannot be is refused by its name',
  async (entry) => {
    const { session } = await theApp();
    const input = inputOf(entry, RANDOM);

    for (const field of Object.keys(input ?? {})) {
      const { code, fields } = await resultOf(entry.path, session(), { ...input, [field]: { $gt: '' } });
      expect({ code, fields }).toEqual({ code: 'validation_failed', fields: [field] });
      // What MongoDB takes in no pattern, and what no UTF-8 holds.
      for (const text of ['a\u0000b', '\ud800']) {
        expect(await codeOf(entry.path, session(), { ...input, [field]: text })).not.toBe('internal');
      }
    }
  },
);

/** The database's own hash of each collection, but for the counters of limits: they count refused calls too. */
async function databaseHash(): Promise<Record<string, string>> {
  const { rate_limits: _, ...others } = (await mongoose.connection.db?.command({ dbHash: 1 }))?.collections ?? {};
  expect(Object.keys(others)).toContain('deployments');
  return others;
}
