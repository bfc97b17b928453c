import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { appRouter } from '../../routers/_app.ts';
import { NEEDED_MUTATIONS } from '../../routers/access.ts';
import { DOMAINS_MAX, UNPROVED_DOMAINS_MAX } from '../../routers/schemas/limits.ts';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { LicenseModel } from '../../server/database/models/plans/license.ts';
import { newId } from '../../server/database/mongo.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import { MAX_LICENSES } from '../../server/plans/licenses/read.ts';
import type { PlatformSignIn } from '../../server/publishing/platforms/platform.ts';
import { type Caller, createTestApp, type Person } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

type Ids = { deploymentId: string; domainId: string; certificateId: string };
/** The name of the counter, and a call that it refuses, where that is quickly said: else other tests hold it. */
type Limited = readonly [name: string, call?: (caller: Caller, ids: Ids) => Promise<unknown>];

/** The limit of each mutation, or the reason why it needs none. */
const MUTATIONS: Readonly<Record<string, Limited | string>> = {
  'user.update': ['taken-names', (caller) => caller.user.update({ username: 'another' })],
  'user.updateNotifications': 'writes two flags of one row',
  'auth.register': ['taken-names'],
  'auth.login': ['failures by address, by name and by both (auth-limits.test.ts)'],
  'auth.refresh': 'writes one row, at most once in half a minute',
  'auth.logout': 'ends a session',
  'auth.forgotPassword': 'answers always, and mails by counters of its own (auth-mail.test.ts)',
  'auth.checkResetLink': 'reads one row, and its calls without a session are counted by address',
  'auth.resetPassword': 'takes a link that works once',
  'auth.changePassword': [
    'credential-acts',
    (caller) => caller.auth.changePassword({ currentPassword: 'Correct horse 1', newPassword: 'Another horse 2' }),
  ],
  'auth.sendConfirmation': 'mails by a counter of its own (auth-mail.test.ts)',
  'auth.confirmEmail': 'takes a link that works once',
  'auth.changeEmail': 'asks for the password, and mails by a counter of its own (auth-mail.test.ts)',
  'auth.withdrawEmailChange': 'takes back a change that waits, and mails nothing',
  'auth.stopEmailChange': 'takes a link that works once',
  'auth.revokeSession': 'ends a session',
  'subscription.startTrial': 'once for an account',
  'subscription.cancel': ['plan-changes', (caller) => caller.subscription.cancel()],
  'subscription.resume': ['plan-changes', (caller) => caller.subscription.resume()],
  'subscription.change': ['plan-changes', (caller) => caller.subscription.change({ plan: 'BASIC' })],
  'subscription.chooseWritable': 'once in a period',
  'domains.chooseWritable': 'once in a period',
  'feedback.rate': ['feedback', (caller) => caller.feedback.rate({ rating: 5, deploymentId: 'main-app' })],
  'disclaimer.accept': 'once for an account, and signed out by a counter of its own (disclaimer.test.ts)',
  'events.sendTest': ['test-notifications', (caller) => caller.events.sendTest({ message: 'a' })],
  'tokens.create': [
    'credential-acts',
    (caller) => caller.tokens.create({ name: 'CI', scopes: ['read'], currentPassword: 'Correct horse 1' }),
  ],
  'tokens.revoke': 'ends a token',
  'certificates.issue': ['certificate-acts', (caller, { domainId }) => caller.certificates.issue({ domainId })],
  'certificates.renew': [
    'certificate-acts',
    (caller, { certificateId }) => caller.certificates.renew({ certificateId }),
  ],
  'certificates.revoke': [
    'certificate-acts',
    (caller, { certificateId }) => caller.certificates.revoke({ certificateId }),
  ],
  'certificates.rehearse': [
    'certificate-acts',
    (caller, { certificateId }) => caller.certificates.rehearse({ certificateId }),
  ],
  'diagnostics.run': ['diagnostics', (caller, { deploymentId }) => caller.diagnostics.run({ deploymentId })],
  'diagnostics.check': ['health-checks', (caller, { deploymentId }) => caller.diagnostics.check({ deploymentId })],
  'diagnostics.share': 'changes two fields of one row',
  'diagnostics.stopSharing': 'changes two fields of one row',
  'connections.connect': [
    'connection-tests',
    (caller) => caller.connections.connect({ provider: 'netlify', token: 'a'.repeat(40) }),
  ],
  'connections.authorize': 'writes one row for each platform',
  'connections.finishAuthorization': ['connection-tests'],
  'connections.replace': ['connection-tests'],
  'connections.test': ['connection-tests'],
  'connections.remove': 'what was connected, which is counted',
  'deployments.create': [
    'added-deployments',
    (caller) => caller.deployments.create({ name: 'One more', platform: 'built-in' }),
  ],
  'deployments.preflight': [
    'preflights',
    (caller) => caller.deployments.preflight({ name: 'One more', platform: 'built-in' }),
  ],
  'simulation.run': ['simulations', (caller) => caller.simulation.run({ platform: 'built-in', withDomain: false })],
  'deployments.update': [
    'deployment-updates',
    (caller, { deploymentId }) => caller.deployments.update({ deploymentId, name: 'Renamed' }),
  ],
  'deployments.rollBack': ['releases'],
  'deployments.addDestination': ['added-destinations'],
  'deployments.removeDestination': 'what was added, which is counted',
  'deployments.retryDestination': 'one job at a time for a destination',
  'deployments.makePrimary': [
    'primary-moves',
    (caller, { deploymentId }) => caller.deployments.makePrimary({ deploymentId, destinationId: newId() }),
  ],
  'deployments.remove': 'what was created, which is counted',
  'deployments.dismissLeftSite': 'takes one of fifty from one row',
  'releases.download': 'makes a ticket that is kept nowhere',
  'analytics.download': 'makes a ticket that is kept nowhere',
  'releases.confirm': ['address-looks'],
  'releases.preview': 'reads one list of files, in the one slot that an account has for them',
  'releases.prepare': 'three uploads are open at once',
  'releases.create': ['releases'],
  'releases.cancel': 'a release that runs, once',
  'releases.retry': ['releases'],
  'domains.add': [
    'added-domains',
    (caller, { deploymentId }) => caller.domains.add({ deploymentId, name: 'limited-add.test' }),
  ],
  'domains.check': ['domain-checks', (caller, { domainId }) => caller.domains.check({ domainId })],
  'domains.plan': ['connection-tests'],
  'domains.applyPlan': 'one job at a time for a plan, and plans are counted',
  'domains.undoPlan': 'a plan that was applied, once',
  'domains.update': [
    'domain-updates',
    (caller, { domainId }) => caller.domains.update({ domainId, servedName: 'www.limited.test' }),
  ],
  'domains.remove': 'what was added, which is counted',
  'licenses.redeem': ['guesses by account and by address (licenses.test.ts)'],
  'licenses.transfer': ['license-transfer', (caller) => caller.licenses.transfer({ licenseId: newId() })],
  'licenses.revoke': 'a transfer, which is counted',
  'payments.checkout': ['checkouts', (caller) => caller.payments.checkout({ plan: 'BASIC' })],
  'payments.portal': ['portals', (caller) => caller.payments.portal()],
  'payments.answerTest': 'a checkout, which is counted, once',
  'contact.send': ['contact', (caller) => caller.contact.send({ name: 'a', email: 'a@example.com', message: 'b' })],
  'account.export': 'one at a time for an account, and downloads have slots',
  'account.confirmDeletion': 'takes a link that works once',
  'account.delete': 'asks for the password, and there is no second time',
};

type Procedure = { _def: { type: 'query' | 'mutation' | 'subscription' } };

/** tRPC keeps its procedures by their whole path, and types them as a tree. */
function flatProcedures(): Record<string, Procedure> {
  return appRouter._def.procedures as unknown as Record<string, Procedure>;
}

function domainRow(accountId: string, name: string, fields: Record<string, unknown> = {}) {
  return {
    ...{
      _id: newId(),
      accountId,
      deploymentId: newId(),
      name,
      counterpart: `www.${name}`,
      unit: name,
      servedName: name,
    },
    ...{ state: 'active' as const, heldNames: [name], pointedNames: [name, `www.${name}`], provedAt: new Date() },
    proof: { name: `_fairlead.${name}`, value: newId() },
    ...{ nextCheckAt: new Date(), quickFrom: new Date() },
    ...fields,
  };
}

/** Has the account as many acts behind it as no limit allows. */
async function exhaust(accountId: string, name: string): Promise<void> {
  const _id = `${name}:${createHash('sha256').update(accountId).digest('base64url')}`;
  const counter = { count: 1_000_000_000, at: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
  await RateLimitModel.updateOne({ _id }, { $set: counter }, { upsert: true });
}

async function liveIds({ caller, user }: Person): Promise<Ids> {
  const accountId = user.id;
  const { id: deploymentId } = await caller.deployments.create({ name: 'Limited', platform: 'built-in' });
  const domain = domainRow(accountId, 'limited.test', { deploymentId });
  await DomainModel.create(domain);
  const certificateId = newId();
  await CertificateModel.create({
    _id: certificateId,
    accountId,
    domainId: domain._id,
    names: ['limited.test'],
    history: [],
  });
  return { deploymentId, domainId: domain._id, certificateId };
}

test('every mutation has a limit, or a reason to need none', () => {
  const mutations = Object.entries(flatProcedures()).flatMap(([path, { _def }]) =>
    _def.type === 'mutation' ? [path] : [],
  );
  expect(Object.keys(MUTATIONS).toSorted()).toEqual(mutations.toSorted());
});

test('while the disk of the database has no room, what is not needed is refused, and what makes room is done', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Large', platform: 'built-in' });
  app.providers.databaseSpace.freeBytes = async () => 0;
  expect(await refusalOf(caller.deployments.create({ name: 'One more', platform: 'built-in' }))).toMatchObject({
    code: 'storage_full',
    message: 'The disk of this Fairlead is almost full, so nothing new can be saved right now.',
  });
  expect(await caller.deployments.remove({ deploymentId })).toEqual({ done: true });
  expect(NEEDED_MUTATIONS.filter((path) => !Object.hasOwn(MUTATIONS, path))).toEqual([]);
});

test('a call beyond its limit is refused, for the account that has used it up alone', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const ids = await liveIds(person);
  const refused: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const [path, limited] of Object.entries(MUTATIONS)) {
    if (typeof limited === 'string') continue;
    const [name, call] = limited;
    if (call === undefined) continue;
    await exhaust(person.user.id, name);
    expected[path] = 'rate_limited';
    refused[path] = (await refusalOf(call(person.caller, ids))).code;
  }
  expect(refused).toEqual(expected);
  await DomainModel.deleteMany({ accountId: person.user.id });
  const other = await app.person();
  expect(await other.caller.events.sendTest({ message: 'a' })).toBeTruthy();
});

test.each([
  ['that you have not proved to be yours', UNPROVED_DOMAINS_MAX, { state: 'unverified' as const, heldNames: [] }],
  ['in all', DOMAINS_MAX, {}],
])('an account has so many domains %s', async (_, count, fields) => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Full', platform: 'built-in' });
  const rows = Array.from({ length: count }, (_row, index) => domainRow(user.id, `${user.id}-${index}.test`, fields));
  await DomainModel.insertMany(rows.slice(1), { lean: true });
  expect((await caller.domains.checkName({ name: 'one-more.test' })).problem).toBeNull();
  await DomainModel.insertMany(rows.slice(0, 1), { lean: true });
  expect(await refusalOf(caller.domains.add({ deploymentId, name: 'one-more.test' }))).toMatchObject({
    code: 'domain_limit_reached',
    message: expect.stringContaining(`An account can have ${count} domains`),
  });
  expect((await caller.domains.checkName({ name: 'one-more.test' })).problem).toContain(`${count} domains`);
  await DomainModel.deleteMany({ accountId: user.id });
});

test('an account that is full moves a domain from one of its deployments to another', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const create = async (name: string) => (await caller.deployments.create({ name, platform: 'built-in' })).id;
  const [from, to] = [await create('From'), await create('To')];
  const { id: domainId } = await caller.domains.add({ deploymentId: from, name: 'moves-within.test' });
  const fields = { state: 'unverified' as const, heldNames: [] };
  const names = Array.from({ length: UNPROVED_DOMAINS_MAX - 1 }, (_row, index) => `${user.id}-${index}.test`);
  await DomainModel.insertMany(
    names.map((name) => domainRow(user.id, name, fields)),
    { lean: true },
  );
  expect(await caller.domains.update({ domainId, deploymentId: to })).toMatchObject({ deploymentId: to });
  await DomainModel.deleteMany({ accountId: user.id });
});

test('all accounts together have as many domains as a process can remember', async () => {
  await using app = await createTestApp({ limits: { domainsInAll: 1 } });
  const { caller, user } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Last', platform: 'built-in' });
  const claim = domainRow(newId(), 'claim.test', { state: 'unverified', heldNames: [] });
  await DomainModel.create(claim);
  // What nobody has proved keeps nobody from anything.
  const { id } = await caller.domains.add({ deploymentId, name: 'first.test' });
  await DomainModel.deleteOne({ _id: id, accountId: user.id });
  await DomainModel.updateOne({ _id: claim._id, accountId: claim.accountId }, { heldNames: ['claim.test'] });
  expect(await refusalOf(caller.domains.add({ deploymentId, name: 'too-many.test' }))).toMatchObject({
    code: 'domain_limit_reached',
    message: 'This Fairlead has no room for more domains. Ask the operator for more room.',
  });
  expect((await caller.domains.checkName({ name: 'too-many.test' })).problem).toContain('no room');
  expect(await DomainModel.countDocuments({ accountId: user.id })).toBe(0);
});

test('an account has so many licenses', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.person();
  const ended = { startsAt: new Date(0), endsAt: new Date(1) };
  const rows = Array.from({ length: MAX_LICENSES }, () => ({
    ...{ _id: newId(), accountId: user.id, hash: newId(), prefix: 'FL', plan: 'PRO' as const, months: 1 },
    ...{ state: 'redeemed' as const, redeemedAt: new Date(0), period: ended, history: [] },
  }));
  await LicenseModel.insertMany(rows);
  const [key = ''] = await makeLicenses(
    { plan: 'PRO', months: 1, count: 1, redeemBy: null, note: '' },
    app.providers.now(),
  );
  expect(await refusalOf(caller.licenses.redeem({ key }))).toMatchObject({ code: 'conflict' });
  expect(await LicenseModel.countDocuments({ accountId: user.id })).toBe(MAX_LICENSES);
});

test('what asks DNS providers and platforms in our name counts as a test of a connection', async () => {
  let exchanged = 0;
  const netlify: PlatformSignIn = {
    authorizeUrl: ({ state }) => `https://netlify.test/?state=${state}`,
    exchangeCode: async () => {
      exchanged += 1;
      return { token: 'a', refreshToken: null, expiresAt: null };
    },
    refresh: () => Promise.reject(new Error('Nothing is there to refresh.')),
  };
  await using app = await createTestApp({ providers: { signIn: { netlify } } });
  app.providers.authority = { ...app.providers.authority, isPublic: true };
  const person = await app.trialPerson();
  const { caller, user } = person;
  const { domainId } = await liveIds(person);
  const { url } = await caller.connections.authorize({ provider: 'netlify' });
  const state = new URL(url).searchParams.get('state') ?? '';
  await exhaust(user.id, 'connection-tests');

  const finished = caller.connections.finishAuthorization({ provider: 'netlify', code: 'a', state });
  expect(await refusalOf(finished)).toMatchObject({ code: 'rate_limited' });
  expect(exchanged).toBe(0);
  const issued = caller.certificates.issue({ domainId, wildcard: true });
  expect(await refusalOf(issued)).toMatchObject({ code: 'rate_limited' });
  await DomainModel.deleteMany({ accountId: user.id });
});
