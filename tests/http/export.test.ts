import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { VisitModel, type VisitRow } from '../../server/database/models/analytics/visit.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { newId } from '../../server/database/mongo.ts';
import { makeLicenses } from '../../server/plans/licenses/operate.ts';
import { type Person, tokenOf } from '../support/app.ts';
import { type Listening, listen } from '../support/listen.ts';
import { platforms } from '../support/platforms.ts';
import {
  createPublishingApp,
  type PublishingApp,
  publish,
  sha256Of,
  startRelease,
  storeLive,
} from '../support/publishing.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

const FIRST = { 'index.html': 'the first', 'old.txt': 'old' };
const SECOND = { 'index.html': 'the second', 'assets/日本語.txt': 'emoji 😀', 'empty.txt': '' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns the archive's entries, as somebody else's library reads them. */
async function entriesOf(answer: Response): Promise<Record<string, string>> {
  expect(answer.status).toBe(200);
  const reader = await fromBufferPromise(Buffer.from(await answer.arrayBuffer()), { lazyEntries: true });
  const entries: Record<string, string> = {};
  for await (const entry of reader.eachEntry()) {
    entries[entry.fileName] = await text(await reader.openReadStreamPromise(entry));
  }
  return entries;
}

async function exported(listener: Listening, person: Person): Promise<Record<string, string>> {
  const { url } = await person.caller.account.export();
  return entriesOf(await fetch(`${listener.url}${url}`));
}

/** Somebody with two releases of one deployment, the second live, and a draft. */
async function publisher(app: PublishingApp) {
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Größe "1"', platform: 'built-in' });
  await publish(app, person, deployment, FIRST);
  await publish(app, person, deployment, SECOND);
  const draft = await person.caller.deployments.create({ name: 'Draft', platform: 'built-in' });
  return { person, deployment, draft };
}

/** Returns rows of one minute from two processes of the host, and of the next from one. */
function visitRows(person: Person, { id: deploymentId }: { id: string }): VisitRow[] {
  const first = {
    accountId: person.user.id,
    deploymentId,
    visitors: ['who-it-was'],
    referrers: [{ host: 'search.example', views: 1 }],
    at: new Date('2100-01-15T12:00:00Z'),
    requests: 2,
    views: 1,
    bots: 0,
    bytes: 10,
    statuses: [{ status: 200, requests: 2 }],
    pages: [{ path: '/', views: 1 }],
    replies: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  };
  return [
    { ...first, _id: newId() },
    { ...first, _id: newId(), at: new Date('2100-01-15T12:01:00Z') },
    {
      ...first,
      _id: newId(),
      views: 2,
      statuses: [
        { status: 200, requests: 1 },
        { status: 404, requests: 1 },
      ],
      pages: [
        { path: '/a', views: 1 },
        { path: '/', views: 1 },
      ],
      replies: [1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    },
  ];
}

const VISITS = [
  {
    at: '2100-01-15T12:00:00.000Z',
    requests: 4,
    views: 3,
    bots: 0,
    bytes: 20,
    statuses: [
      { status: 200, requests: 3 },
      { status: 404, requests: 1 },
    ],
    pages: [
      { path: '/', views: 2 },
      { path: '/a', views: 1 },
    ],
    referrers: [{ host: 'search.example', views: 2 }],
    replies: [3, 1, 0, 0, 0, 0, 0, 0, 0, 0],
  },
  {
    at: '2100-01-15T12:01:00.000Z',
    requests: 2,
    views: 1,
    bots: 0,
    bytes: 10,
    statuses: [{ status: 200, requests: 2 }],
    pages: [{ path: '/', views: 1 }],
    referrers: [{ host: 'search.example', views: 1 }],
    replies: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  },
];

test('everything of an account comes down as one ZIP that others read, without what could be used to sign in', async () => {
  await using app = await createPublishingApp();
  await using listener = await listen(app);
  const { person, deployment, draft } = await publisher(app);
  const [{ secret }, stranger] = [await tokenOf(person, ['read'], 'Build server'), await app.person()];
  const [key = ''] = await makeLicenses({ plan: 'PRO', months: 1, count: 1, redeemBy: null, note: '' }, new Date());
  const { prefix } = await person.caller.licenses.redeem({ key });
  await person.caller.feedback.rate({ rating: 4, comment: 'Quick' });
  await person.caller.feedback.rate({ rating: 5, deploymentId: draft.id });
  await VisitModel.insertMany(visitRows(person, deployment));
  await person.caller.contact.send({ name: 'Ada', email: 'ada@example.com', message: 'Ahoy' });
  await stranger.caller.contact.send({ name: 'Eve', email: 'eve@example.com', message: 'Mine alone' });

  const link = await person.caller.account.export();
  const answer = await fetch(`${listener.url}${link.url}`);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/zip',
    'cache-control': 'no-store',
    'content-disposition': expect.stringContaining(`filename="${link.fileName}"`),
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const entries = await entriesOf(answer);

  const root = `deployments/${deployment.slug}`;
  expect(Object.keys(entries).sort()).toEqual(
    [
      'README.txt',
      'account.json',
      ...[root, `deployments/${draft.slug}`].flatMap((folder) =>
        ['deployment', 'releases', 'visits'].map((name) => `${folder}/${name}.json`),
      ),
      ...Object.keys(SECOND).map((path) => `${root}/files/${path}`),
    ].sort(),
  );
  for (const [path, content] of Object.entries(SECOND)) expect(entries[`${root}/files/${path}`]).toBe(content);
  expect(JSON.parse(entries['account.json'] ?? '')).toMatchObject({
    identity: { username: person.user.username, email: person.user.email },
    settings: { notifications: { releaseFailed: true, releaseLive: false } },
    plan: { plan: 'PRO', status: 'active' },
    sessions: [{ device: expect.any(String), createdAt: expect.any(String) }],
    apiTokens: [{ name: 'Build server', scopes: ['read'] }],
    licenses: [{ prefix, plan: 'PRO', history: [{ what: 'created' }, { what: 'redeemed' }] }],
    contactMessages: [{ name: 'Ada', email: 'ada@example.com', message: 'Ahoy' }],
    uploads: [{ state: 'used' }, { state: 'used' }],
  });
  expect(JSON.parse(entries['account.json'] ?? '').feedback).toEqual([
    { rating: 5, comment: null, deploymentId: draft.id, at: expect.any(String) },
    { rating: 4, comment: 'Quick', at: expect.any(String) },
  ]);
  expect(JSON.parse(entries[`${root}/visits.json`] ?? '')).toEqual({ visits: VISITS });
  expect(JSON.parse(entries[`${root}/deployment.json`] ?? '')).toMatchObject({ name: 'Größe "1"', state: 'live' });
  const { releases, rollBacks } = JSON.parse(entries[`${root}/releases.json`] ?? '');
  expect(releases).toMatchObject([
    { number: 1, state: 'superseded' },
    {
      number: 2,
      state: 'live',
      isCurrent: true,
      steps: expect.arrayContaining([expect.objectContaining({ name: 'verifying', state: 'done' })]),
    },
  ]);
  expect(releases[1].steps.some(({ log }: { log: unknown[] }) => log.length > 0)).toBe(true);
  expect(rollBacks).toEqual([]);
  expect(JSON.parse(entries[`deployments/${draft.slug}/releases.json`] ?? '')).toEqual({ releases: [], rollBacks: [] });
  const all = Object.values(entries).join('\n');
  for (const hidden of [
    secret,
    key,
    sha256Of(secret),
    person.accessToken,
    'passwordHash',
    '$argon2',
    '"hash"',
    'Mine alone',
    '"__v"',
    '"_id"',
    'main-app',
    'who-it-was',
  ]) {
    expect(all.includes(hidden), hidden).toBe(false);
  }
});

test('an export has nothing of what opens an account at a platform', async () => {
  await using netlify = await netlifyUnderTest();
  await using app = await createPublishingApp({
    providers: { platforms: { ...platforms, netlify: netlify.platform } },
  });
  await using listener = await listen(app);
  const person = await app.trialPerson();
  await person.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  const deployment = await person.caller.deployments.create({ name: 'Connected', platform: 'netlify' });
  await publish(app, person, deployment, FIRST);
  // One that the platform refuses is kept with the reason, which may be in the log of a release.
  netlify.standIn.revoke();
  await publish(app, person, deployment, SECOND);
  const stored = await ConnectionModel.findOne({ accountId: person.user.id }).orFail();
  expect(stored.state).toBe('broken');

  const all = Object.values(await exported(listener, person)).join('\n');
  expect(all).toContain('Connected');
  for (const hidden of [TOKEN, stored.credential, '"credential"']) expect(all.includes(hidden), hidden).toBe(false);
});

test('the link works for its account, for a minute, and as it was made; a bearer must be of a browser', async () => {
  await using app = await createPublishingApp();
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Mine', platform: 'built-in' });
  const release = await startRelease(app, person, deployment, FIRST);
  const { secret } = await tokenOf(person, ['read', 'write'], 'All');
  const { url } = await person.caller.account.export();
  const ofRelease = (await person.caller.releases.download({ releaseId: release.id })).url;
  const ticketOf = (link: string) => link.split('ticket=')[1] ?? '';
  const path = '/api/account/export';
  const statusOf = async (link: string, headers = {}) => {
    const answer = await fetch(`${listener.url}${link}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };

  expect(await statusOf(path)).toBe(401);
  expect(await statusOf(path, bearer(secret))).toBe(403);
  expect(await statusOf(path, bearer(person.accessToken))).toBe(200);
  expect(await statusOf(`${path}?ticket=`)).toBe(404);
  expect(await statusOf(`${path}?ticket=${ticketOf(url).slice(0, -4)}AAAA`)).toBe(404);
  expect(await statusOf(`${path}?ticket=${ticketOf(ofRelease)}`)).toBe(404);
  expect(await statusOf(ofRelease.replace(ticketOf(ofRelease), ticketOf(url)))).toBe(404);
  expect((await fetch(`${listener.url}${url}`, { method: 'HEAD' })).status).toBe(200);
  expect(await statusOf(url)).toBe(200);
  app.clock.advance(61_000);
  expect(await statusOf(url)).toBe(404);
  const late = await person.caller.account.export();
  await person.caller.account.delete({ username: person.user.username, currentPassword: person.password });
  expect(await statusOf(late.url)).toBe(404);
});

test('an account begins so many downloads of what is put together in a minute', async () => {
  await using app = await createPublishingApp({ limits: { downloadsPerMinute: 2 } });
  await using listener = await listen(app);
  const [person, other] = [await app.trialPerson(), await app.trialPerson()];
  const statusOf = async ({ accessToken }: typeof person): Promise<number> => {
    const answer = await fetch(`${listener.url}/api/account/export`, { headers: bearer(accessToken) });
    await answer.arrayBuffer();
    return answer.status;
  };
  for (const status of [200, 200, 429]) expect(await statusOf(person)).toBe(status);
  expect(await statusOf(other)).toBe(200);
});

test('a damaged file is left out and named, and everything else is there', async () => {
  await using app = await createPublishingApp();
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Damaged', platform: 'built-in' });
  await storeLive(app, deployment, SECOND);
  await app.providers.store.remove(sha256Of(SECOND['index.html']));

  const entries = await exported(listener, person);

  const files = `deployments/${deployment.slug}/files`;
  expect(entries[`${files}/index.html`]).toBeUndefined();
  expect(entries[`${files}/assets/日本語.txt`]).toBe('emoji 😀');
  expect(entries['NOT-INCLUDED.txt']?.split('\n')).toContain(`${files}/index.html`);
});

test('links are over with the session or the API token that they were made by', async () => {
  await using app = await createPublishingApp();
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Mine', platform: 'built-in' });
  const { id: releaseId } = await startRelease(app, person, deployment, FIRST);
  const made = await tokenOf(person, ['read', 'write'], 'Reader');
  const byToken = (await (await app.callerFor(made.secret)).releases.download({ releaseId })).url;
  const byThisBrowser = [
    (await person.caller.account.export()).url,
    (await person.caller.releases.download({ releaseId })).url,
  ];
  const other = await app.anonymous().auth.login({ username: person.user.username, password: person.password });
  const byOtherBrowser = (await (await app.callerFor(other.accessToken)).account.export()).url;
  const statusesOf = async (links: string[]) => {
    const statuses: number[] = [];
    for (const link of links) statuses.push((await fetch(`${listener.url}${link}`, { method: 'HEAD' })).status);
    return statuses;
  };
  expect(await statusesOf([byToken, ...byThisBrowser, byOtherBrowser])).toEqual([200, 200, 200, 200]);

  await person.caller.auth.changePassword({ currentPassword: person.password, newPassword: 'Correct horse 2' });
  expect(await statusesOf([...byThisBrowser, byOtherBrowser])).toEqual([200, 200, 404]);
  await person.caller.tokens.revoke({ tokenId: made.id });
  expect(await statusesOf([byToken])).toEqual([404]);
  await person.caller.auth.logout();
  expect(await statusesOf(byThisBrowser)).toEqual([404, 404]);
});
