import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PlatformRef, PublishRequest } from '../../server/publishing/platforms/platform.ts';
import { countRequests, onPlatform, restored, textAt } from '../support/platform-harness.ts';
import { keepBlob, keepCommit, keepTree } from '../support/standins/github-pages/state.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';

/** The API's minimum: a tree, a commit, the branch, a deploy, and a look at it. */
const REQUESTS_MAX = 5;

async function onRender() {
  const on = await onPlatform(await renderUnderTest());
  return {
    ...on,
    publish: async (request: PublishRequest) => (await on.send(request)).ref,
    asked: () => [...on.github.requests, ...on.standIn.requests],
  };
}

test('one changed file of 10,000 is sent alone, with as many requests as the two APIs need', async () => {
  await using on = await onRender();
  const first = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  const [repository] = on.github.state.repositories.values();
  if (repository === undefined) throw new Error('There is no repository.');
  const many = Array.from({ length: 9_999 }, (_, index) => `pages/${index}.html`);
  const blob = keepBlob(repository, Buffer.from('unchanged'));
  const paths = ['index.html', ...many].map((path) => [`public/${path}`, blob] as const);
  const tree = keepTree(repository, new Map(paths));
  const commit = keepCommit(repository, { tree, message: 'Release 1', parents: [String(first.commit)] }).sha;
  repository.branches.set('main', commit);
  const entryOf = (path: string) => ({ sha256: createHash('sha256').update(path).digest('hex'), sizeBytes: 9 });
  const unchanged = many.map((path) => [path, entryOf(path)] as const);
  const request = await on.harness.release(2, { 'index.html': 'two' });
  const before = on.asked().length;
  const [atGithub, atRender] = [on.github.requests.length, on.standIn.requests.length];
  const ref = await on.publish({
    ...request,
    manifest: new Map([...request.manifest, ...unchanged]),
    previous: { ref: { ...first, tree, commit }, manifest: new Map([['index.html', entryOf('x')], ...unchanged]) },
  });
  const url = await on.urlOf(ref);
  const asked = [...on.github.requests.slice(atGithub), ...on.standIn.requests.slice(atRender)];
  expect(asked.length).toBe(on.asked().length - before);
  expect(countRequests('Render', asked, '10,000')).toBeLessThanOrEqual(REQUESTS_MAX);
  expect(await textAt(on.call, url)).toBe('two');
  expect(await textAt(on.call, url, 'pages/9998.html')).toBe('unchanged');
});

test('a deploy that waits for another is answered without a body, and found in the list', async () => {
  await using on = await onRender();
  await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  on.standIn.state.isQueueing = true;
  const ref = await on.publish(await on.harness.release(2, { 'index.html': 'two' }));
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('two');
});

test('a site goes off where GitHub lets nobody in any more, and the repository that stays is named', async () => {
  await using on = await onRender();
  const url = await on.urlOf(await on.publish(await on.harness.release(1, { 'index.html': 'one' })));
  on.github.revoke();
  expect(await on.platform.remove(on.call)).toMatch(/^http.*\/pat\/a-site$/);
  expect(on.standIn.state.services.size).toBe(0);
  expect(await textAt(on.call, url)).not.toBe('one');
});

test('a roll back whose answer broke off is looked for, and not asked for twice', async () => {
  await using on = await onRender();
  const first = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  await on.publish(await on.harness.release(2, { 'index.html': 'two' }));
  on.standIn.fail('restore', { how: 'halfBody' });
  const back = await restored(on.platform, on.call, first);
  expect(on.standIn.requests.filter(({ step }) => step === 'restore')).toHaveLength(1);
  expect(back.deployId).not.toBe(first.deployId);
  expect(await textAt(on.call, await on.urlOf(back))).toBe('one');
});

test('a roll back whose process was killed before it could note the answer is not asked for twice', async () => {
  await using on = await onRender();
  const first = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  await on.publish(await on.harness.release(2, { 'index.html': 'two' }));
  const asked = () => on.standIn.requests.filter(({ step }) => step === 'restore');
  let noted = first;
  for await (const event of on.platform.restore?.(on.call, { ref: first, actId: 'an act' }) ?? []) {
    if (asked().length > 0) break;
    if (event.type === 'ref') noted = event.ref;
  }
  const back = await restored(on.platform, on.call, noted);
  expect(asked()).toHaveLength(1);
  expect(back.deployId).not.toBe(first.deployId);
  expect(await textAt(on.call, await on.urlOf(back))).toBe('one');
});

test('after a roll back the next release goes on top of what the branch holds', async () => {
  await using on = await onRender();
  const one = await on.harness.release(1, { 'index.html': 'one' });
  const first = await on.publish(one);
  const two = await on.harness.release(2, { 'index.html': 'two' });
  await on.publish({ ...two, previous: { ref: first, manifest: one.manifest } });
  const back = await restored(on.platform, on.call, first);
  expect(await textAt(on.call, await on.urlOf(back))).toBe('one');
  const three = await on.harness.release(3, { 'index.html': 'three' });
  const last = await on.publish({ ...three, previous: { ref: back, manifest: one.manifest } });
  expect(await textAt(on.call, await on.urlOf(last))).toBe('three');
});

test('each of the two connections is used for its own platform', async () => {
  await using on = await onRender();
  const tokens: string[] = [];
  on.call.credentials.tokenOf = async (platform) => {
    tokens.push(platform);
    return 'a-secret-token';
  };
  await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  expect([...new Set(tokens)].toSorted()).toEqual(['github-pages', 'render']);
});

test('a key that opens no workspace is to be made of another account', async () => {
  await using on = await onRender();
  on.standIn.fail('account', { how: 'status', status: 200, body: [] });
  await expect(on.publish(await on.harness.release(1, { 'index.html': 'one' }))).rejects.toMatchObject({
    code: 'permission_missing',
    message: expect.stringContaining('the key opens no workspace'),
    hint: expect.stringContaining('an account that belongs to a workspace'),
  });
});

test('a page that does not exist shows the single page as long as the deployment says so', async () => {
  await using on = await onRender();
  const { destination } = on.call;
  const at = async (ref: PlatformRef) => textAt(on.call, await on.urlOf(ref), 'nowhere');
  destination.isSinglePage = true;
  const first = await on.send(await on.harness.release(1, { 'index.html': 'one' }));
  expect(await at(first.ref)).toBe('one');

  destination.isSinglePage = false;
  const second = await on.send(await on.harness.release(2, { 'index.html': 'two' }));
  expect(await at(second.ref)).toBe('Not Found');
  const asked = on.standIn.requests.length;
  await on.send(await on.harness.release(3, { 'index.html': 'three' }));
  expect(on.standIn.requests.slice(asked).filter(({ path }) => path.endsWith('/routes'))).toEqual([]);
});

test('the log of a release is what its own deploy wrote, the oldest line first', async () => {
  await using on = await onRender();
  const first = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  await on.publish(await on.harness.release(2, { 'index.html': 'two' }));
  const lines = (await on.platform.readLog?.(on.call, first))?.split('\n');
  expect(lines?.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    `==> Cloning ${first.commit}`,
    '==> Uploading build…',
  ]);
});

test('an address of its service that is none of the web is never kept, nor shown', async () => {
  await using on = await onRender();
  const serviceDetails = { url: 'javascript:alert(1)//' };
  const service = { id: 'srv-1', name: 'a-site', ownerId: 'tea-standin', serviceDetails };
  on.standIn.fail('finish', { how: 'status', status: 201, body: { service, deployId: 'dep-1' } });
  await expect(on.publish(await on.harness.release(1, { 'index.html': 'one' }))).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('an address that cannot be opened'),
  });
  expect(on.call.destination.site?.serviceId).toBeUndefined();
});
