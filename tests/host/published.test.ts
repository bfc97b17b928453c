import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { get } from '../support/get.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';
import { share } from '../support/shared.ts';

const TEXT = 'Tie the rope well. '.repeat(200);

const theApp = share(createPublishingApp);

test('a release is compressed by a job once it is live, and its rules are told in its log', async () => {
  const app = await theApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Pressed', platform: 'built-in' });
  const release = await publish(app, person, deployment, {
    'index.html': TEXT,
    _redirects: `/old /new 302\nnonsense\n/away https://other.example/x${'\nnonsense'.repeat(20)}`,
    _headers: '/*\n  X-Site: mine\n  Content-Length: 1',
  });
  const log = (await person.caller.releases.get({ releaseId: release.id })).steps
    .flatMap((step) => step.log)
    .map(({ text }) => text);
  expect(log).toEqual(
    expect.arrayContaining([
      '_redirects: 2 rules are followed',
      '_redirects sends visitors to https://other.example',
      expect.stringMatching(/^_redirects, line 2: /),
      '_redirects: 1 more line is not followed',
      '_headers: 1 rule is followed',
      expect.stringMatching(/^_headers, line 3: Content-Length is set by the host itself/),
    ]),
  );
  const ask = { headers: { 'Accept-Encoding': 'br' } };
  const { port } = app.host.address;
  await expect
    .poll(async () => (await get(port, 'pressed.localhost', '/', ask)).headers['content-encoding'])
    .toBe('br');
  const answer = await get(port, 'pressed.localhost', '/', ask);
  expect([brotliDecompressSync(answer.body).toString(), answer.headers['x-site']]).toEqual([TEXT, 'mine']);
  expect((await app.visit('pressed', '/old')).headers.location).toBe('/new');
});

test.each([
  ['/* /index.html 200', '/no/page', 200],
  ['/* https://other.example/:splat 301!', '/', 301],
  ['/index.html / 301!', '/index.html', 301],
  ['/secret.html /404.html 404!', '/secret.html', 404],
])('a release with the rule %j is seen live', async (rule, path, status) => {
  const app = await theApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Ruled', platform: 'built-in' });
  await publish(app, person, deployment, { 'index.html': 'x', 'secret.html': 'y', '404.html': 'z', _redirects: rule });
  expect((await person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('live');
  expect((await app.visit(deployment.slug, path)).status).toBe(status);
});

test('a single page, and pages without .html, are seen live and can be switched without a release', async () => {
  const app = await theApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Switched', platform: 'built-in' });
  await person.caller.deployments.update({ deploymentId, isSinglePage: true });
  await publish(app, person, { id: deploymentId }, { 'index.html': 'APP', 'about.html': 'ABOUT' });
  expect(await person.caller.deployments.get({ deploymentId })).toMatchObject({
    state: 'live',
    isSinglePage: true,
    hasCleanUrls: true,
  });
  expect((await app.visit('switched', '/about')).text).toBe('ABOUT');
  await person.caller.deployments.update({ deploymentId, isSinglePage: false, hasCleanUrls: false });
  await expect.poll(async () => (await app.visit('switched', '/about')).status).toBe(404);
  expect((await person.caller.releases.list({ deploymentId })).items).toHaveLength(1);
});
