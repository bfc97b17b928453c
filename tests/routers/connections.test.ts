import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { connectProvider } from '../../server/connections/index.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { githubPages } from '../../server/publishing/platforms/github-pages/index.ts';
import { createSignIn } from '../../server/publishing/platforms/oauth.ts';
import type { OAuthClients, Platform } from '../../server/publishing/platforms/platform.ts';
import { createTestApp } from '../support/app.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { platforms } from '../support/platforms.ts';
import { contextOf } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';
import { requestHandler } from '../support/request-handler.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

/** Begins the tokens of a second person. */
const OTHERS = 'other-';

/** The adapter where a token may be that of a second person, who has more to say than is kept. */
function withSecondPerson(platform: Platform): Platform {
  return {
    ...platform,
    verify: async (call) => {
      const info = await platform.verify(call);
      if (!(await call.credentials.tokenOf('netlify')).startsWith(OTHERS)) return info;
      const identity = 'Long '.repeat(1_000);
      return { ...info, subject: 'other person', identity, warnings: ['<b>w</b>'.repeat(1_000)] };
    },
  };
}

/** An account, and Netlify in place of Vercel as well, because the tested code asks any platform in the same way. */
async function createConnectionApp(oauthClients: OAuthClients = {}) {
  const netlify = await netlifyUnderTest();
  for (const token of [`${TOKEN}2`, `${OTHERS}1`, 'access-1', 'access-2']) netlify.standIn.admit(token);
  const platform = withSecondPerson(netlify.platform);
  const logged: unknown[] = [];
  const write = (...words: unknown[]) => void logged.push(words);
  const app = await createTestApp({
    log: { debug: write, info: write, warn: write, error: write },
    providers: {
      platforms: { ...platforms, netlify: platform, vercel: { ...platform, id: 'vercel' } },
      signIn: createSignIn(oauthClients),
      wait: async () => undefined,
    },
  });
  const person = await app.trialPerson();
  return {
    ...app,
    requests: netlify.standIn.requests,
    fail: netlify.world.fail,
    logged,
    person,
    caller: person.caller,
    refuseToken: (times: number) => netlify.world.fail('account', { how: 'status', status: 401 }, times),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await netlify[Symbol.asyncDispose]();
    },
  };
}

test('a token for an enterprise is made where its people are', async () => {
  const atEnterprise = githubPages({ apiUrl: 'https://api.harbour.ghe.com' });
  await using app = await createTestApp({ providers: { platforms: { ...platforms, 'github-pages': atEnterprise } } });
  const person = await app.trialPerson();
  expect((await person.caller.connections.list()).tokenPages).toEqual({
    'github-pages': 'https://harbour.ghe.com/settings/tokens',
  });
});

test('a token is tested, kept sealed, and never told again', async () => {
  await using app = await createConnectionApp();
  const connection = await app.caller.connections.connect({ provider: 'netlify', token: ` ${TOKEN} ` });
  expect(connection).toMatchObject({ provider: 'netlify', kind: 'platform', state: 'ok', problem: null, warnings: [] });
  expect(connection.identity).not.toBe('');
  expect(app.requests.at(-1)?.token).toBe(`Bearer ${TOKEN}`);
  const stored = await ConnectionModel.findOne({ _id: connection.id, accountId: app.person.user.id }).lean();
  expect(stored?.credential).toMatch(/^v1\./);
  for (const shown of [connection, await app.caller.connections.list(), stored, app.logged]) {
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
  }
});

test('what a platform says of a person is kept as one line that is cut', async () => {
  await using app = await createConnectionApp();
  const connection = await app.caller.connections.connect({ provider: 'netlify', token: `${OTHERS}1` });
  expect(connection.identity).toMatch(/^Long Long .*…$/);
  expect([connection.identity, ...connection.warnings].map(({ length }) => length)).toEqual([201, 201]);
  expect(connection.warnings.join()).not.toContain('<');
});

test('a token that the platform refuses is said at its field, and nothing is kept', async () => {
  await using app = await createConnectionApp();
  app.refuseToken(1);
  await expect(app.caller.connections.connect({ provider: 'netlify', token: TOKEN })).rejects.toMatchObject({
    cause: {
      code: 'credentials_invalid',
      field: 'token',
      message: 'Netlify does not accept this token.',
      fieldErrors: { token: 'Netlify does not accept this token.' },
    },
  });
  expect((await app.caller.connections.list()).items).toEqual([]);
});

test('a connection that stops working is broken with its reason until its token is replaced', async () => {
  await using app = await createConnectionApp();
  const { id: connectionId } = await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  app.refuseToken(1);
  const broken = await app.caller.connections.test({ connectionId });
  expect(broken.state).toBe('broken');
  expect(broken.problem?.message).toContain('Netlify');
  const mended = await app.caller.connections.replace({ connectionId, token: `${TOKEN}2` });
  expect(mended).toMatchObject({ id: connectionId, state: 'ok', problem: null });
});

test('one identity has one connection, which takes the newest token, also of several at once', async () => {
  await using app = await createConnectionApp();
  const { connections } = app.caller;
  const connect = (token: string) => connections.connect({ provider: 'netlify', token });
  const made = await Promise.all(Array.from({ length: 4 }, () => connect(TOKEN)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  const [{ id } = { id: '' }] = made;
  app.refuseToken(1);
  expect((await connections.test({ connectionId: id })).state).toBe('broken');
  expect(await connect(`${TOKEN}2`)).toMatchObject({ id, state: 'ok', problem: null });
  const credentials = app.providers.credentialsOf(app.person.user.id, { connectionId: id });
  expect(await credentials.tokenOf('netlify')).toBe(`${TOKEN}2`);
  expect((await connect(`${OTHERS}1`)).id).not.toBe(id);
  expect((await connections.connect({ provider: 'vercel', token: TOKEN })).id).not.toBe(id);
  expect(
    (await (await app.trialPerson()).caller.connections.connect({ provider: 'netlify', token: TOKEN })).id,
  ).not.toBe(id);
  expect((await connections.list()).items).toHaveLength(3);
});

test('an identity that is connected again takes over the deployments of its removed connection, and no others', async () => {
  await using app = await createConnectionApp();
  const { connections, deployments } = app.caller;
  const connect = (token: string) => connections.connect({ provider: 'netlify', token });
  const { id: removed } = await connect(TOKEN);
  const { id, name } = await deployments.create({ name: 'Shop', platform: 'netlify' });
  await connections.remove({ connectionId: removed });
  expect((await connect(`${OTHERS}1`)).deployments).toEqual([]);
  expect((await connect(`${TOKEN}2`)).deployments).toEqual([{ id, name, url: '' }]);
});

test('a connection whose token was replaced by that of another identity leaves its deployments to that one', async () => {
  await using app = await createConnectionApp();
  const { connections, deployments } = app.caller;
  const connect = (token: string) => connections.connect({ provider: 'netlify', token });
  const { id: connectionId } = await connect(TOKEN);
  const { id, name } = await deployments.create({ name: 'Shop', platform: 'netlify' });
  await connections.replace({ connectionId, token: `${OTHERS}1` });
  await connections.remove({ connectionId });
  expect((await connect(TOKEN)).deployments).toEqual([]);
  expect((await connect(`${OTHERS}1`)).deployments).toEqual([{ id, name, url: '' }]);
});

test('what a platform says of a credential that was replaced meanwhile is kept for none', async () => {
  await using app = await createConnectionApp();
  const { connections } = app.caller;
  const { id: connectionId } = await connections.connect({ provider: 'netlify', token: TOKEN });
  const held = new EventEmitter();
  app.fail('account', { how: 'held', until: once(held, 'end') }, 1);
  const before = app.requests.length;
  const testing = connections.test({ connectionId });
  await expect.poll(() => app.requests.length, { interval: 10 }).toBeGreaterThan(before);
  const replaced = await connections.replace({ connectionId, token: `${OTHERS}1` });
  held.emit('end');
  expect((await testing).identity).toBe(replaced.identity);
  expect((await connections.list()).items).toMatchObject([{ identity: replaced.identity, state: 'ok' }]);
});

test('a platform that is down breaks no connection', async () => {
  await using app = await createConnectionApp();
  const { id: connectionId } = await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  app.fail('account', { how: 'status', status: 503 }, 20);
  await expect(app.caller.connections.test({ connectionId })).rejects.toMatchObject({
    cause: { code: 'platform_down' },
  });
  expect((await app.caller.connections.list()).items[0]?.state).toBe('ok');
});

test('who connects is not told that it is tried again by itself', async () => {
  await using app = await createConnectionApp();
  const { connections } = app.caller;
  const { id: connectionId } = await connections.connect({ provider: 'netlify', token: TOKEN });
  const hint = 'Try again. If the problem persists, look at the status page of Netlify.';
  for (const call of [
    () => connections.connect({ provider: 'netlify', token: TOKEN }),
    () => connections.replace({ connectionId, token: TOKEN }),
    () => connections.test({ connectionId }),
    () => connections.targets({ connectionId }),
  ]) {
    app.fail('account', { how: 'status', status: 503 }, 5);
    await expect(call()).rejects.toMatchObject({ cause: { code: 'platform_down', hint } });
  }
});

test('a connection whose test is ended by the person is not kept', async () => {
  await using app = await createConnectionApp();
  const stopped = AbortSignal.abort();
  await expect(
    connectProvider(await contextOf(app, app.person), { provider: 'netlify', token: TOKEN }, stopped),
  ).rejects.toMatchObject({ code: 'client_closed' });
  expect((await app.caller.connections.list()).items).toEqual([]);
});

test('targets are those of the token, and removing says which deployments publish by it', async () => {
  await using app = await createConnectionApp();
  const { id: connectionId } = await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  expect((await app.caller.connections.targets({ connectionId })).items.length).toBeGreaterThan(0);
  const { id, name } = await app.caller.deployments.create({ name: 'Shop', platform: 'netlify' });
  expect((await app.caller.connections.list()).items[0]?.deployments).toEqual([{ id, name, url: '' }]);
  await app.caller.connections.remove({ connectionId });
  expect((await app.caller.connections.list()).items).toEqual([]);
  await expect(app.caller.connections.remove({ connectionId })).rejects.toMatchObject({ cause: { code: 'not_found' } });
});

test('a deployment says that its connection is refused or gone, and waits for its owner where it is gone', async () => {
  await using app = await createConnectionApp();
  const { connections, deployments } = app.caller;
  const { id: connectionId } = await connections.connect({ provider: 'netlify', token: TOKEN });
  const { id: deploymentId, lostConnections } = await deployments.create({ name: 'Shop', platform: 'netlify' });
  expect(lostConnections).toEqual([]);
  app.refuseToken(1);
  const { problem } = await connections.test({ connectionId });
  expect((await deployments.get({ deploymentId })).lostConnections).toMatchObject([
    { provider: 'netlify', connectionId, message: problem?.message },
  ]);
  expect((await deployments.list({ needsCare: true })).items).toEqual([]);
  await connections.remove({ connectionId });
  expect((await deployments.list({ needsCare: true })).items[0]?.lostConnections).toMatchObject([
    {
      provider: 'netlify',
      connectionId: null,
      message: 'The connection to Netlify that publishes this deployment was removed.',
    },
  ]);
  await connections.connect({ provider: 'netlify', token: TOKEN });
  expect((await deployments.get({ deploymentId })).lostConnections).toEqual([]);
});

test('a deployment that names a connection in its options uses it as well', async () => {
  await using app = await createConnectionApp();
  await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  const { id: connectionId } = await app.caller.connections.connect({ provider: 'vercel', token: TOKEN });
  const { id, name } = await app.caller.deployments.create({ name: 'Shop', platform: 'netlify' });
  const options = { publicFiles: true, githubConnectionId: connectionId };
  await DeploymentModel.updateOne({ _id: id, accountId: app.person.user.id }, { 'destinations.0.options': options });
  const { items } = await app.caller.connections.list();
  expect(items.map(({ provider, deployments }) => [provider, deployments])).toEqual([
    ['vercel', [{ id, name, url: '' }]],
    ['netlify', [{ id, name, url: '' }]],
  ]);
  expect(await app.caller.connections.test({ connectionId })).toMatchObject({ deployments: [{ id, name }] });

  const url = 'https://shop.netlify.app';
  await DeploymentModel.updateOne({ _id: id, accountId: app.person.user.id }, { 'destinations.0.url': url });
  expect(await app.caller.connections.test({ connectionId })).toMatchObject({ deployments: [{ id, name, url }] });
});

test('nothing that is no header value is sent as a token', async () => {
  await using app = await createConnectionApp();
  for (const token of ['', '   ', 'two words', 'line\r\nX-Admin: 1', 'umläut', 'x'.repeat(5_000)]) {
    await expect(app.caller.connections.connect({ provider: 'netlify', token })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  }
  expect(app.requests).toEqual([]);
});

/** A token endpoint that holds callers to PKCE and rotates its refresh tokens: a second use of one is refused. */
async function startOAuth() {
  const challenges = new Map<string, string>();
  const refreshable = new Set<string>();
  const grants: string[] = [];
  let count = 0;
  const server = createServer(
    requestHandler(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const form = new URLSearchParams(text);
      grants.push(form.get('grant_type') ?? '');
      const isKnown =
        form.get('client_secret') === 'secret' &&
        (form.get('grant_type') === 'refresh_token'
          ? refreshable.delete(form.get('refresh_token') ?? '')
          : challenges.get(form.get('code') ?? '') ===
            createHash('sha256')
              .update(form.get('code_verifier') ?? '')
              .digest('base64url'));
      count += 1;
      if (isKnown) refreshable.add(`refresh-${count}`);
      response.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isKnown
            ? {
                access_token: `access-${count}`,
                refresh_token: `refresh-${count}`,
                expires_in: 3_600,
                token_type: 'bearer',
              }
            : { error: 'invalid_grant' },
        ),
      );
    }),
  );
  const listening = await atFreePort(server);
  const origin = listening.url;
  const client = {
    provider: 'netlify' as const,
    id: 'fairlead',
    secret: 'secret',
    endpoints: { authorize: `${origin}/authorize`, token: `${origin}/oauth/token` },
  };
  return {
    ...listening,
    clients: { netlify: client },
    grants,
    refreshable,
    /** Returns the person agrees: what the platform puts into the way back. */
    agree(url: string) {
      const asked = new URL(url).searchParams;
      const code = `code-${challenges.size + 1}`;
      challenges.set(code, asked.get('code_challenge') ?? '');
      return { provider: 'netlify' as const, code, state: asked.get('state') ?? '' };
    },
  };
}

test('signing in at the platform connects it, once, and only in the account that asked', async () => {
  await using oauth = await startOAuth();
  await using app = await createConnectionApp(oauth.clients);
  expect((await app.caller.connections.list()).signIn).toEqual(['netlify']);
  const { url } = await app.caller.connections.authorize({ provider: 'netlify' });
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    client_id: 'fairlead',
    code_challenge_method: 'S256',
    redirect_uri: 'http://localhost:3000/settings',
    response_type: 'code',
  });
  const back = oauth.agree(url);
  const stranger = (await app.trialPerson()).caller.connections;
  const refusal = { cause: { code: 'token_invalid' } };
  await expect(stranger.finishAuthorization(back)).rejects.toMatchObject(refusal);
  await expect(app.caller.connections.finishAuthorization({ ...back, state: 'other' })).rejects.toMatchObject(refusal);
  expect(await app.caller.connections.finishAuthorization(back)).toMatchObject({ state: 'ok', expiresAt: null });
  await expect(app.caller.connections.finishAuthorization(back)).rejects.toMatchObject(refusal);
});

test.each([
  ['longer than any token', { access_token: 'x'.repeat(5_000) }, null],
  ['refused in words that tell too much', { error: 'server_error', error_description: 's3cret '.repeat(99) }, null],
  ['for ever', { access_token: 'access-1', expires_in: 1e308 }, 'ok'],
])('a sign-in whose token is %s does no harm', async (_what, tokens, state) => {
  const answered = { status: 200, headers: { 'content-type': 'application/json' } };
  const server = createServer((_request, response) => {
    response.writeHead(answered.status, answered.headers).end(JSON.stringify(tokens));
  });
  await using listening = await atFreePort(server);
  const endpoints = { authorize: `${listening.url}/authorize`, token: `${listening.url}/token` };
  await using app = await createConnectionApp({
    netlify: { provider: 'netlify', id: 'fairlead', secret: 's3cret', endpoints },
  });
  const { url } = await app.caller.connections.authorize({ provider: 'netlify' });
  const answer = { provider: 'netlify' as const, code: 'code', state: new URL(url).searchParams.get('state') ?? '' };
  const ended = app.caller.connections.finishAuthorization(answer);
  if (state === null) {
    const { code, message } = await refusalOf(ended);
    expect([code, message.includes('s3cret'), message.length < 300]).toEqual(['platform_down', false, true]);
  } else expect(await ended).toMatchObject({ state, expiresAt: null });
});

test('a token that ends is renewed once, however many need it at the same time', async () => {
  await using oauth = await startOAuth();
  await using app = await createConnectionApp(oauth.clients);
  const { url } = await app.caller.connections.authorize({ provider: 'netlify' });
  const { id } = await app.caller.connections.finishAuthorization(oauth.agree(url));
  app.clock.advance(3_500_000);
  const credentials = app.providers.credentialsOf(app.person.user.id, { connectionId: id });
  const tokens = await Promise.all(Array.from({ length: 8 }, () => credentials.tokenOf('netlify')));
  expect(new Set(tokens).size).toBe(1);
  expect(oauth.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
});

test('an authorization that was withdrawn at the platform breaks the connection', async () => {
  await using oauth = await startOAuth();
  await using app = await createConnectionApp(oauth.clients);
  const { url } = await app.caller.connections.authorize({ provider: 'netlify' });
  const { id } = await app.caller.connections.finishAuthorization(oauth.agree(url));
  app.clock.advance(3_500_000);
  oauth.refreshable.clear();
  const credentials = app.providers.credentialsOf(app.person.user.id, { connectionId: id });
  await expect(credentials.tokenOf('netlify')).rejects.toMatchObject({ code: 'credentials_invalid' });
  expect((await app.caller.connections.list()).items[0]?.state).toBe('broken');
});

test('a deployment publishes by a connection of its own platform and account', async () => {
  await using app = await createConnectionApp();
  const create = (more: { connectionId?: string; options?: Record<string, boolean> }) =>
    app.caller.deployments.create({ name: 'Shop', platform: 'netlify', ...more });
  const refusal = (field: string, message: string) => ({ cause: { code: 'validation_failed', field, message } });
  await expect(create({})).rejects.toMatchObject(refusal('connectionId', 'Connect Netlify first.'));
  const vercel = await app.caller.connections.connect({ provider: 'vercel', token: TOKEN });
  const notNetlify = refusal('connectionId', 'This is not a connection to Netlify.');
  await expect(create({ connectionId: vercel.id })).rejects.toMatchObject(notNetlify);
  const stranger = (await app.trialPerson()).caller;
  const foreign = await stranger.connections.connect({ provider: 'netlify', token: TOKEN });
  await expect(create({ connectionId: foreign.id })).rejects.toMatchObject(notNetlify);
  const first = await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  await app.caller.connections.connect({ provider: 'netlify', token: `${OTHERS}1` });
  await expect(create({})).rejects.toMatchObject(
    refusal('connectionId', 'Choose which connection to Netlify publishes this deployment.'),
  );
  await expect(create({ connectionId: first.id, options: { free: true } })).rejects.toMatchObject(
    refusal('options', 'Netlify does not take these options.'),
  );
  expect(await create({ connectionId: first.id })).toMatchObject({ platform: 'netlify', state: 'draft' });
});

test('an app of the person’s own is named with the destination, since it stays when the site goes', async () => {
  await using app = await createConnectionApp();
  await app.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  const { id: deploymentId, destinations } = await app.caller.deployments.create({ name: 'Shop', platform: 'netlify' });
  expect(destinations[0]).not.toHaveProperty('named');
  const there = { 'destinations.0.platform': 'heroku', 'destinations.0.options': { paymentThere: true, app: 'boats' } };
  await DeploymentModel.updateOne({ _id: deploymentId, accountId: app.person.user.id }, there);
  const [destination] = (await app.caller.deployments.get({ deploymentId })).destinations;
  expect(destination?.named).toEqual({ what: 'app', name: 'boats' });
});

test('Render takes two connections of the account, one of them to GitHub, and the consent to public files', async () => {
  await using app = await createConnectionApp();
  const create = (options: Record<string, string | boolean>) =>
    app.caller.deployments.create({ name: 'Shop', platform: 'render', options });
  const refusal = (field: string, message: string) => ({ cause: { code: 'validation_failed', field, message } });
  await expect(create({})).rejects.toMatchObject(refusal('options', 'My files may be public in a GitHub repository.'));
  await expect(create({ publicFiles: true })).rejects.toMatchObject(refusal('options', 'Connect GitHub first.'));
  const notGithub = refusal('options', 'This is not a connection to GitHub.');
  const vercel = await app.caller.connections.connect({ provider: 'vercel', token: TOKEN });
  await expect(create({ publicFiles: true, githubConnectionId: vercel.id })).rejects.toMatchObject(notGithub);
});
