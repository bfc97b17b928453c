import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { authenticate } from '../../../server/account/auth/index.ts';
import { removeAllDeployments } from '../../../server/account-data/erase.ts';
import { jobContext } from '../../../server/context.ts';
import { ApiTokenModel } from '../../../server/database/models/account/api-token.ts';
import { ConnectionModel } from '../../../server/database/models/connection.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { makeLicenses } from '../../../server/plans/licenses/operate.ts';
import { listSitesElsewhere } from '../../../server/publishing/deployments/index.ts';
import { tokenOf } from '../../support/app.ts';
import { confirmedPerson, mailsOf, tokenIn } from '../../support/mailed.ts';
import { createPublishingApp, publish } from '../../support/publishing.ts';
import { refusalOf } from '../../support/refusal.ts';

/**
 * Collections that may name an account after it is gone: their rows expire, or record who used a trial or an address.
 */
const KEPT = ['jobs', 'mails', 'held_slugs'];

/** Returns every collection that holds a row of the account. */
async function collectionsOf(accountId: string): Promise<string[]> {
  const holding: string[] = [];
  for (const { collection } of Object.values(mongoose.connection.models)) {
    const rows = await collection.find({ _id: { $exists: true } }, { hint: { _id: 1 }, comment: 'test' }).toArray();
    if (rows.some((row) => JSON.stringify(row).includes(accountId))) holding.push(collection.name);
  }
  return holding.sort();
}

test('a deleted account is signed out everywhere, its websites go, and nothing of it stays', async () => {
  await using app = await createPublishingApp();
  const ada = await app.newcomer();
  await ada.caller.subscription.startTrial();
  const { secret } = await tokenOf(ada, ['read'], 'script');
  await ada.caller.feedback.rate({ rating: 4 });
  const [key = ''] = await makeLicenses({ plan: 'PRO', months: 1, count: 1, redeemBy: null, note: '' }, new Date());
  await ada.caller.licenses.redeem({ key });
  await ada.caller.contact.send({ name: 'Ada', email: ada.user.email, message: 'Hello' });
  const deployment = await ada.caller.deployments.create({ name: 'Atlas', platform: 'built-in' });
  await publish(app, ada, deployment, { 'index.html': 'hello' });
  expect((await ada.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('live');
  await expect.poll(async () => (await app.visit(deployment.slug)).text).toBe('hello');
  const incoming = join(app.folder, 'incoming');
  await writeFile(join(incoming, `${ada.user.id}.upload.archive.part`), 'a ZIP that was cut off');

  expect(
    await ada.caller.account.delete({
      username: ` ${ada.user.username.toUpperCase()} `,
      currentPassword: ada.password,
    }),
  ).toEqual({ mailedTo: null });

  expect((await authenticate(app.providers, ada.accessToken)).actor).toEqual({ kind: 'anonymous' });
  expect((await authenticate(app.providers, secret)).actor).toEqual({ kind: 'anonymous' });
  const { auth } = app.anonymous();
  expect(await refusalOf(auth.login({ username: ada.user.username, password: ada.password }))).toMatchObject({
    code: 'credentials_wrong',
  });
  // A call that began before the account ended made one more.
  const late = {
    _id: newId(),
    accountId: ada.user.id,
    name: 'late',
    hash: newId(),
    prefix: 'fl',
    scopes: ['read' as const],
  };
  await ApiTokenModel.create([late]);
  for (let look = 0; look < 5; look += 1) {
    await app.jobs.drain();
    app.clock.advance(3_000);
    await mongoose.connection.collection('jobs').updateMany({ status: 'queued' }, { $set: { runAt: new Date(0) } });
  }
  // What visitors did is written a minute later at the latest: after all else is gone.
  await app.host.stop();
  expect((await collectionsOf(ada.user.id)).filter((name) => !KEPT.includes(name))).toEqual([]);
  expect(await readdir(incoming)).toEqual([]);
  expect(app.outbox.at(-1)).toMatchObject({ kind: 'account-deleted', to: ada.user.email });
});

test('of very many deployments each pass begins to take down a hundred, until none is left', async () => {
  await using app = await createPublishingApp();
  const { caller, user } = await app.trialPerson();
  const accountId = user.id;
  const { id } = await caller.deployments.create({ name: 'Draft', platform: 'built-in' });
  const draft = await DeploymentModel.findOne({ _id: id, accountId }).lean().orFail();
  const copies = Array.from({ length: 149 }, (_, index) => ({ ...draft, _id: newId(), slug: `copy-${index}` }));
  await DeploymentModel.insertMany(copies);

  const ctx = jobContext(app.providers, { name: 'delete-account', accountId, id: newId() });
  for (const leaving of [100, 150, 150]) {
    await expect(removeAllDeployments(ctx)).rejects.toThrow('Still being taken down: 150 deployments.');
    expect(await DeploymentModel.countDocuments({ accountId, state: 'deleting' })).toBe(leaving);
  }
  await DeploymentModel.deleteMany({ accountId });
  await removeAllDeployments(ctx);
});

test('the mail about a deleted account names the sites that stay at platforms, and those that may', async () => {
  await using app = await createPublishingApp();
  const { caller, user, password } = await confirmedPerson(app);
  const accountId = user.id;
  await caller.subscription.startTrial();
  const { id } = await caller.deployments.create({ name: 'Atlas', platform: 'built-in' });
  const sealed = {
    provider: 'netlify' as const,
    credential: 'sealed',
    identity: 'ada',
    warnings: [],
    testedAt: app.clock.now(),
    usedZones: [],
  };
  await ConnectionModel.create(
    (['ok', 'broken'] as const).map((state) => ({ _id: state, accountId, state, ...sealed })),
  );
  const destinations = [
    { platform: 'netlify', connectionId: 'ok', url: 'https://reached.netlify.app' },
    { platform: 'netlify', connectionId: 'broken', url: 'https://broken.netlify.app' },
    { platform: 'vercel', connectionId: 'gone', site: { wanted: 'atlas-a1b2c3' }, wantedName: 'atlas' },
    { platform: 'replit', url: 'https://by-hand.replit.app' },
    { platform: 'heroku', connectionId: 'ok', wantedName: 'never-made' },
  ].map((one) => ({ _id: newId(), ...one }));
  await DeploymentModel.updateOne({ _id: id, accountId }, { $push: { destinations: { $each: destinations } } });

  const [link] = await mailsOf(app, () =>
    caller.account.delete({ username: user.username, currentPassword: password }),
  );
  const token = tokenIn(link, '/auth/delete-account');
  const [news] = await mailsOf(app, () => app.anonymous().account.confirmDeletion({ token }));
  expect(news?.text).toContain(
    'They stay until you delete them yourself:\n' +
      'https://broken.netlify.app at Netlify\n' +
      'The site requested as “atlas-a1b2c3” at Vercel\n' +
      'https://by-hand.replit.app at Replit\n\n',
  );
  expect(news?.text).toContain('delete those that are still there:\nhttps://reached.netlify.app at Netlify\n\n');
});

test('the mail about a deleted account names a bounded number of sites, and says that there may be more', async () => {
  await using app = await createPublishingApp();
  const { id: accountId } = (await app.newcomer()).user;
  await DeploymentModel.collection.insertMany(
    Array.from({ length: 201 }, (_, index) => ({
      _id: newId() as never,
      ...{ accountId, slug: `many-${index}-${accountId}`, updatedAt: new Date(index) },
      destinations: [{ _id: newId(), platform: 'replit', state: 'live', url: `https://site-${index}.replit.app` }],
    })),
  );
  const [sites = '', more] = await transaction((session) => listSitesElsewhere(session, accountId));
  expect(sites.match(/replit\.app/g)).toHaveLength(200);
  expect(sites, 'the newest are named').not.toContain('site-0.');
  expect(more).toContain('may have more');
});
