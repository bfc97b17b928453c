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
import { createTestApp, type Person, type TestApp, tokenOf } from '../support/app.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';

/**
 * Walks the router: every procedure says here who may call it and with what, and is then called by nobody, by tokens
 * of each scope, with another account's ids and with fields that are not its own. `cookie`: a caller without a refresh
 * cookie is nobody, whatever else they send.
 */
type Access = 'public' | 'public-write' | 'read' | 'write' | 'session' | 'cookie';
type Case = readonly [
  access: Access,
  /** An input that the schema takes, with ids of the owner. */
  input?: (owned: Owned) => Record<string, unknown>,
  /** Keys of the input that name objects of an account. */
  ids?: readonly string[],
];
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

const ofId = (access: Access, id: keyof Owned): Case => [access, (owned) => ({ [id]: owned[id] }), [id]];

const CASES: Record<string, Case> = {
  'user.get': ['read'],
  'user.notifications': ['session'],
  'user.update': ['session', () => ({ username: `walked ${newId()}` })],
  'user.updateNotifications': ['session', () => ({ releaseFailed: true, releaseLive: true })],
  'auth.sessions': ['session'],
  'auth.register': [
    'public',
    () => ({ username: `walker ${newId()}`, email: `${newId()}@example.com`, password: PASSWORD }),
  ],
  'auth.login': ['public', () => ({ username: `nobody ${newId()}`, password: PASSWORD })],
  'auth.refresh': ['cookie'],
  'auth.logout': ['public'],
  'auth.forgotPassword': ['public', () => ({ email: `${newId()}@example.com` })],
  'auth.checkResetLink': ['public', () => ({ token: MAILED })],
  'auth.resetPassword': ['public', () => ({ token: MAILED, password: PASSWORD })],
  'auth.changePassword': ['session', () => ({ currentPassword: 'wrong one', newPassword: PASSWORD })],
  'auth.sendConfirmation': ['session'],
  'auth.confirmEmail': ['public', () => ({ token: MAILED })],
  'auth.changeEmail': ['session', () => ({ email: 'a@example.com', currentPassword: 'wrong one' })],
  'auth.withdrawEmailChange': ['session'],
  'auth.stopEmailChange': ['public', () => ({ token: MAILED })],
  'auth.revokeSession': ofId('session', 'sessionId'),
  'subscription.get': ['read'],
  'subscription.allowance': ['read'],
  'subscription.startTrial': ['write'],
  'subscription.cancel': ['session'],
  'subscription.resume': ['session'],
  'subscription.change': ['session', () => ({ plan: 'BASIC' })],
  'subscription.chooseWritable': [
    'session',
    ({ deploymentId }) => ({ deploymentIds: [deploymentId] }),
    ['deploymentIds'],
  ],
  'domains.chooseWritable': ['session', chosenDomains, ['deploymentId', 'domainIds']],
  'payments.list': ['read'],
  'payments.portal': ['session'],
  'payments.get': ofId('read', 'paymentId'),
  'payments.checkout': ['write', () => ({ plan: 'BASIC' })],
  'payments.answerTest': ['session', ({ paymentId }) => ({ paymentId, answer: 'later' }), ['paymentId']],
  'feedback.rate': ['public-write', ({ deploymentId }) => ({ rating: 5, deploymentId }), ['deploymentId']],
  'analytics.visits': [
    'read',
    ({ deploymentId }) => ({ deploymentId, days: 7, timeZone: 'Europe/Berlin' }),
    ['deploymentId'],
  ],
  'analytics.releases': ['read', ({ deploymentId }) => ({ deploymentId, days: 30 }), ['deploymentId']],
  'analytics.download': [
    'read',
    ({ deploymentId }) => ({ deploymentId, days: 7, timeZone: 'UTC', table: 'pages' }),
    ['deploymentId'],
  ],
  'account.export': ['session'],
  'account.confirmDeletion': ['public', () => ({ token: MAILED })],
  'account.delete': ['session', () => ({ username: 'nobody', currentPassword: 'wrong one' })],
  'contact.get': ['public'],
  'contact.send': ['public-write', () => ({ name: 'a', email: 'a@example.com', message: 'b' })],
  'disclaimer.status': ['public'],
  'disclaimer.accept': ['public-write'],
  'events.stream': ['read', () => ({})],
  'events.sendTest': ['write', () => ({ message: 'a' })],
  'tokens.list': ['session'],
  'tokens.create': ['session', () => ({ name: 'a', scopes: ['read'], currentPassword: 'wrong one' })],
  'tokens.revoke': ofId('session', 'tokenId'),
  'licenses.list': ['read'],
  'licenses.redeem': ['write', () => ({ key: licenseKeyOf('0'.repeat(24)) })],
  'licenses.transfer': ofId('session', 'licenseId'),
  'licenses.revoke': ofId('session', 'licenseId'),
  'domains.list': ['read', ({ deploymentId }) => ({ deploymentId })],
  'domains.get': ofId('read', 'domainId'),
  'domains.checkName': ['read', () => ({ name: 'walked-elsewhere.test' })],
  'domains.setupOffer': ofId('read', 'domainId'),
  'domains.lastPlan': ofId('read', 'domainId'),
  'domains.add': ['write', ({ deploymentId }) => ({ deploymentId, name: `${newId()}.test` }), ['deploymentId']],
  'domains.check': ofId('write', 'domainId'),
  'domains.plan': ofId('write', 'domainId'),
  'domains.applyPlan': ['write', () => ({ planId: newId() })],
  'domains.undoPlan': ['write', () => ({ planId: newId() })],
  'domains.update': ['write', ({ domainId }) => ({ domainId, servedName: 'walked.test' }), ['domainId']],
  'domains.remove': ofId('write', 'domainId'),
  'certificates.list': ['read', ({ domainId }) => ({ domainId })],
  'certificates.get': ofId('read', 'certificateId'),
  'certificates.issue': ofId('write', 'domainId'),
  'certificates.renew': ofId('write', 'certificateId'),
  'certificates.revoke': ofId('write', 'certificateId'),
  'certificates.rehearse': ofId('write', 'certificateId'),
  'diagnostics.list': ['read', ({ deploymentId }) => ({ deploymentId })],
  'diagnostics.get': ofId('read', 'reportId'),
  'diagnostics.health': ['read', ({ deploymentId }) => ({ deploymentIds: [deploymentId] })],
  'diagnostics.check': ofId('write', 'deploymentId'),
  'diagnostics.shared': ['public', () => ({ token: MAILED })],
  'diagnostics.run': ofId('write', 'deploymentId'),
  'diagnostics.share': ofId('write', 'reportId'),
  'diagnostics.stopSharing': ofId('write', 'reportId'),
  'connections.list': ['read'],
  'connections.targets': ofId('read', 'connectionId'),
  'connections.connect': ['session', () => ({ provider: 'netlify', token: 'walked' })],
  'connections.authorize': ['session', () => ({ provider: 'netlify' })],
  'connections.finishAuthorization': ['session', () => ({ provider: 'netlify', code: 'walked', state: 'walked' })],
  'connections.replace': ['session', ({ connectionId }) => ({ connectionId, token: 'walked' }), ['connectionId']],
  'connections.test': ofId('write', 'connectionId'),
  'connections.remove': ofId('session', 'connectionId'),
  'deployments.list': ['read', () => ({})],
  'deployments.platforms': ['read'],
  'deployments.get': ofId('read', 'deploymentId'),
  'deployments.checkAddress': [
    'read',
    ({ deploymentId }) => ({ deploymentId, slug: 'walked-elsewhere' }),
    ['deploymentId'],
  ],
  'deployments.create': ['write', () => ({ name: 'a', platform: 'built-in' })],
  'deployments.preflight': ['write', () => ({ name: 'a', platform: 'built-in' })],
  'deployments.update': ['write', ({ deploymentId }) => ({ deploymentId, name: 'b' }), ['deploymentId']],
  'deployments.rollBack': [
    'write',
    ({ deploymentId, releaseId }) => ({ deploymentId, releaseId }),
    ['deploymentId', 'releaseId'],
  ],
  'deployments.addDestination': [
    'write',
    ({ deploymentId }) => ({ deploymentId, platform: 'built-in' }),
    ['deploymentId'],
  ],
  'deployments.removeDestination': ['write', ofDestination, ['deploymentId', 'destinationId']],
  'deployments.retryDestination': ['write', ofDestination, ['deploymentId', 'destinationId']],
  'deployments.makePrimary': ['write', ofDestination, ['deploymentId', 'destinationId']],
  'deployments.remove': ofId('write', 'deploymentId'),
  'deployments.leftSites': ['read', () => ({})],
  'deployments.dismissLeftSite': ['write', ({ deploymentId }) => ({ id: deploymentId })],
  'releases.list': ofId('read', 'deploymentId'),
  'releases.get': ofId('read', 'releaseId'),
  'releases.platformLog': ofId('read', 'releaseId'),
  'releases.diff': ['read', ({ releaseId }) => ({ releaseId, against: releaseId }), ['releaseId', 'against']],
  'releases.download': ofId('read', 'releaseId'),
  'releases.preview': ofId('write', 'uploadId'),
  'releases.room': ['read', () => ({ count: 1, totalBytes: 1 })],
  'releases.prepare': ofId('write', 'deploymentId'),
  'releases.create': [
    'write',
    ({ deploymentId, uploadId }) => ({ deploymentId, uploadId }),
    ['deploymentId', 'uploadId'],
  ],
  'releases.cancel': ofId('write', 'releaseId'),
  'releases.handOff': ofId('read', 'releaseId'),
  'releases.confirm': ['write', ({ releaseId }) => ({ releaseId, url: 'https://name.replit.app' }), ['releaseId']],
  'releases.retry': ofId('write', 'releaseId'),
  'simulation.failures': ['read', () => ({ platform: 'built-in', withDomain: true })],
  'simulation.run': ['write', () => ({ platform: 'built-in', withDomain: true })],
  'recommendations.rank': ofId('read', 'uploadId'),
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
  const { id: tokenId } = await tokenOf(person, ['read'], 'walked');
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

const entries = Object.entries(CASES).map(([path, [access, input, ids]]) => ({ path, access, input, ids }));
type Entry = (typeof entries)[number];
const inputOf = ({ input }: Entry, owned: Owned): Record<string, unknown> | undefined => input?.(owned);

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
  const { secret } = await tokenOf(person, scopes, scopes.join());
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

const OVER = `fla_${'x'.repeat(43)}`;

test.each(entries.filter(({ access }) => access === 'public-write'))(
  '$path: whoever has a token that is over is asked to come back, and not taken for a stranger',
  async (entry) => {
    const { app } = await theApp();
    const before = await databaseHash();
    const late = app.context({ kind: 'anonymous' }, undefined, { bearer: OVER });

    expect(await codeOf(entry.path, late, inputOf(entry, RANDOM))).toBe('unauthenticated');
    expect(await databaseHash()).toEqual(before);
  },
);

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

/** Further ways to ask for an object of an account, besides those of `CASES`. */
const OTHER_WAYS: readonly (readonly [path: string, input: (owned: Owned) => Record<string, unknown>])[] = [
  ['releases.get', ({ deploymentId }) => ({ deploymentId, number: 1 })],
];

test('no answer tells anything of another account, whatever it is filtered by', async () => {
  strangers ??= await makeStrangers();
  const { app, owned, own, actor } = strangers;
  const ways = [
    ...entries.flatMap((entry) => [undefined, inputOf(entry, owned)].map((input) => ({ path: entry.path, input }))),
    ...OTHER_WAYS.map(([path, input]) => ({ path, input: input(owned) })),
  ];
  const asked = ways.filter(({ path }) => flatProcedures()[path]?._def.type === 'query');

  const answers = await Promise.all(asked.map(({ path, input }) => resultOf(path, app.context(actor), input)));

  const told = JSON.stringify(answers.map(({ answer }) => answer));
  expect(Object.entries(owned).filter(([, id]) => told.includes(id))).toEqual([]);
  // An open upload and an open checkout are in no list.
  const untold = Object.entries(own).filter(([, id]) => !told.includes(id));
  expect(untold.map(([name]) => name)).toEqual(['uploadId', 'paymentId']);
});

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
