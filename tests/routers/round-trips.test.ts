import { AsyncLocalStorage } from 'node:async_hooks';
import mongoose from 'mongoose';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { connectMongo } from '../../server/database/mongo.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import type { Caller, Person } from '../support/app.ts';
import { createPublishingApp, type PublishingApp, publish } from '../support/publishing.ts';

/**
 * Holds the commands of the call under way that ask for data, in their order. The host reads its routes again whenever
 * it hears of a release: only commands that the call itself has caused are counted.
 */
const asked = new AsyncLocalStorage<string[]>();

beforeAll(async () => {
  const { name } = mongoose.connection;
  await mongoose.disconnect();
  await connectMongo(`${inject('mongoUri')}&monitorCommands=true`, { databaseName: name });
  mongoose.connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName !== 'endSessions') asked.getStore()?.push(`${commandName} ${command[commandName]}`);
  });
});

type Ids = { deploymentId: string; releaseId: string };
type Call = { name: string; run(caller: Caller, ids: Ids): Promise<unknown>; asks: readonly string[] };

const SIGN_IN = 'find sessions';

/** The calls that the screens of the app make most, and scripts while they wait; each includes its sign-in. */
const CALLS: readonly Call[] = [
  { name: 'user.get', run: (caller) => caller.user.get(), asks: ['find users'] },
  { name: 'subscription.get', run: (caller) => caller.subscription.get(), asks: ['find subscriptions'] },
  { name: 'subscription.allowance', run: (caller) => caller.subscription.allowance(), asks: ['aggregate users'] },
  { name: 'disclaimer.status', run: (caller) => caller.disclaimer.status(), asks: ['find users'] },
  {
    name: 'deployments.list',
    run: (caller) => caller.deployments.list(),
    asks: ['find deployments', 'aggregate releases'],
  },
  {
    name: 'deployments.get',
    run: (caller, { deploymentId }) => caller.deployments.get({ deploymentId }),
    asks: ['find deployments', 'aggregate releases'],
  },
  {
    name: 'releases.list',
    run: (caller) => caller.releases.list(),
    asks: ['aggregate releases', 'aggregate roll_backs'],
  },
  {
    name: 'releases.list of a deployment, second page',
    run: (caller, { deploymentId }) => caller.releases.list({ deploymentId, cursor: '2' }),
    asks: ['aggregate releases', 'aggregate roll_backs'],
  },
  {
    name: 'releases.get',
    run: (caller, { releaseId }) => caller.releases.get({ releaseId }),
    asks: ['aggregate releases'],
  },
  {
    name: 'releases.diff',
    run: (caller, { releaseId }) => caller.releases.diff({ releaseId }),
    asks: ['find releases', 'find releases'],
  },
  { name: 'connections.list', run: (caller) => caller.connections.list(), asks: ['find connections'] },
];

async function commandsOf(app: PublishingApp, person: Person, ids: Ids, { run }: Call): Promise<string[]> {
  const commands: string[] = [];
  await asked.run(commands, async () => run(await app.callerFor(person.accessToken, person.jar), ids));
  return commands;
}

test('lists are read as plain rows, with no field that nobody is shown', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const [key = ''] = await makeLicenses(
    { plan: 'BASIC', months: 1, count: 1, redeemBy: null, note: '' },
    app.providers.now(),
  );
  await person.caller.licenses.redeem({ key });
  const { url } = await person.caller.payments.checkout({ plan: 'PRO' });
  await person.caller.payments.answerTest({ paymentId: url.split('/').at(-1) ?? '', answer: 'pay' });
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Plain', platform: 'built-in' });
  using documents = vi.spyOn(mongoose.Document.prototype, 'init');
  const finds: { of: string; fields: string[] }[] = [];
  const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
    if (typeof command.find === 'string')
      finds.push({ of: command.find, fields: Object.keys(command.projection ?? {}) });
  };
  const client = mongoose.connection.getClient().on('commandStarted', note);

  expect((await person.caller.licenses.list()).items).toHaveLength(1);
  expect((await person.caller.payments.list()).items).toHaveLength(1);
  await person.caller.deployments.get({ deploymentId });
  client.off('commandStarted', note);

  expect(documents).not.toHaveBeenCalled();
  expect(finds).toContainEqual({ of: 'licenses', fields: expect.arrayContaining(['history']) });
  expect(finds).toContainEqual({ of: 'deployments', fields: expect.arrayContaining(['reusedNames']) });
});

test('the commonest calls ask the database three times at most, their sign-in included', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Counted', platform: 'built-in' });
  await publish(app, person, deployment, { 'index.html': 'one' });
  const { id: releaseId } = await publish(app, person, deployment, { 'index.html': 'two' });
  const ids = { deploymentId: deployment.id, releaseId };
  const counted = new Map<string, string[]>();
  for (const call of CALLS) counted.set(call.name, await commandsOf(app, person, ids, call));
  expect(counted).toEqual(new Map(CALLS.map(({ name, asks }) => [name, [SIGN_IN, ...asks]])));
  expect(Math.max(...[...counted.values()].map((commands) => commands.length))).toBe(3);
});
