import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { PLATFORM_OPTIONS } from '../../routers/schemas/platforms/options.ts';
import { MINUTE_MS } from '../../server/lib/durations.ts';
import type { PlatformRef, PublishRequest } from '../../server/publishing/platforms/platform.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { countRequests, killedAfter, onPlatform, published, restored, textAt } from '../support/platform-harness.ts';
import { IS_FULL } from '../support/size.ts';
import type { GithubState } from '../support/standins/github-pages/state.ts';
import {
  initialize,
  keepBlob,
  keepCommit,
  keepTree,
  newRepository,
  ORGANIZATION,
  OWNER,
  type RepositoryRecord,
} from '../support/standins/github-pages/state.ts';
import { githubUnderTest, releasesOf } from '../support/standins/github-pages/world.ts';
import type { StandInOptions } from '../support/standins/stand-in.ts';

/** Enough that a request a file would be seen. */
const PAGES = IS_FULL ? 9_999 : 499;
/** The API's minimum: a tree, a commit, the branch, and a look at the build. */
const REQUESTS_MAX = 4;

async function onGithub(more: Partial<StandInOptions<GithubState>> = {}) {
  const on = await onPlatform(await githubUnderTest(more));
  on.state.now = () => on.call.now().getTime();
  const publish = async (request: PublishRequest) => (await on.send(request)).ref;
  return {
    ...on,
    publish,
    /** A release after another, as the caller of a platform asks for it. */
    publishAfter: async (request: PublishRequest, before: { request: PublishRequest; ref: PlatformRef }) =>
      publish({ ...request, previous: { ref: before.ref, manifest: before.request.manifest } }),
    repository: (): RepositoryRecord => {
      const [one] = on.state.repositories.values();
      if (one === undefined) throw new Error('There is no repository.');
      return one;
    },
  };
}

/** The files that a branch holds, by path, as texts. */
function filesOf({ trees, commits, branches, blobs }: RepositoryRecord, branch = 'main'): Record<string, string> {
  const files = trees.get(commits.get(branches.get(branch) ?? '')?.tree ?? '') ?? new Map<string, string>();
  return Object.fromEntries([...files].map(([path, sha]) => [path, blobs.get(sha)?.toString() ?? '']));
}

test('one changed file of very many is sent alone, with as many requests as the API needs', async () => {
  await using on = await onGithub();
  const first = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  const many = Array.from({ length: PAGES }, (_, index) => `pages/${index}.html`);
  const repository = on.repository();
  const blob = keepBlob(repository, Buffer.from('unchanged'));
  const tree = keepTree(repository, new Map([['index.html', blob], ...many.map((path) => [path, blob] as const)]));
  const commit = keepCommit(repository, { tree, message: 'Release 1', parents: [String(first.commit)] }).sha;
  repository.branches.set('main', commit);
  const entryOf = (path: string) => ({ sha256: createHash('sha256').update(path).digest('hex'), sizeBytes: 9 });
  const unchanged = many.map((path) => [path, entryOf(path)] as const);
  const request = await on.harness.release(2, { 'index.html': 'two' });
  const before = on.standIn.requests.length;
  const ref = await on.publish({
    ...request,
    manifest: new Map([...request.manifest, ...unchanged]),
    previous: { ref: { ...first, tree, commit }, manifest: new Map([['index.html', entryOf('x')], ...unchanged]) },
  });
  const url = await on.urlOf(ref);
  const asked = on.standIn.requests.slice(before);
  expect(countRequests('GitHub Pages', asked, `${PAGES + 1}`)).toBeLessThanOrEqual(REQUESTS_MAX);
  expect(on.world.takeSent()).toBe(2);
  expect(await textAt(on.call, url)).toBe('two');
  expect(await textAt(on.call, url, `pages/${PAGES - 1}.html`)).toBe('unchanged');
});

test('small texts travel in trees of at most 500 files', async () => {
  await using on = await onGithub();
  const count = IS_FULL ? 1_200 : 501;
  const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.txt`, `text ${index}`]));
  await on.publish(await on.harness.release(1, files));
  const uploads = on.standIn.requests.filter(({ step }) => step === 'upload').map(({ path }) => path.split('/').at(-1));
  expect(uploads).toEqual(Array.from({ length: Math.ceil(count / 500) }, () => 'trees'));
  expect(filesOf(on.repository())).toEqual({ ...files, '.nojekyll': '' });
});

test('a content at more paths than a tree takes counts each of them once', async () => {
  await using on = await onGithub();
  const files = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`${index}.png`, '\0']));
  const { events } = await on.send(await on.harness.release(1, files));
  const uploading = events.filter((event) => event.type === 'uploading');
  expect(uploading.filter(({ done, total }) => done > total)).toEqual([]);
  expect(uploading.filter(({ doneBytes, totalBytes }) => doneBytes > totalBytes)).toEqual([]);
  expect(uploading.at(-1)).toMatchObject({ done: 501, total: 501, doneBytes: 501, totalBytes: 501 });
});

/** Files that are no text, each its own. */
function binaries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.png`, `\0${index}`]));
}

/** More than GitHub takes in an hour. */
const IMAGES = IS_FULL ? 600 : 460;

test('more images than GitHub takes in an hour go up over two, and whoever leaves at every wait holds no worker', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, binaries(IMAGES));
  const texts: string[] = [];
  let longestMs = 0;
  for (let isOver = false; !isOver; ) {
    const run = on.platform.publish(on.call, request);
    isOver = true;
    for await (const event of run) {
      if (event.type === 'site') on.call.destination.site = event.site;
      if (event.type === 'ref') request.ref = event.ref;
      if (event.type !== 'waiting') continue;
      texts.push(event.text);
      longestMs = Math.max(longestMs, event.retryAfterMs);
      expect(on.harness.waits.filter((ms) => ms > 2_000)).toEqual([]);
      await on.call.wait(event.retryAfterMs, on.call.signal);
      on.harness.waits.length = 0;
      isOver = false;
      break;
    }
  }
  expect(texts.filter((text) => text.includes('files an hour'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('files a minute')).length).toBeGreaterThan(IMAGES / 80 - 2);
  expect(on.standIn.requests.filter(({ status }) => status === 403)).toEqual([]);
  expect(longestMs).toBeGreaterThan(45 * MINUTE_MS);
  expect(on.repository().blobs.size).toBeGreaterThan(IMAGES);
  const last = `${IMAGES - 1}.png`;
  expect(await textAt(on.call, await on.urlOf(request.ref ?? {}), last)).toBe(`\0${IMAGES - 1}`);
});

test('more images than GitHub takes in a day are refused before one is sent', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const entry = (path: string) => ({ sha256: createHash('sha256').update(path).digest('hex'), sizeBytes: 9 });
  const paths = Array.from({ length: 10_000 }, (_, index) => `${index}.png`);
  const manifest = new Map([...request.manifest, ...paths.map((path) => [path, entry(path)] as const)]);
  await expect(on.publish({ ...request, manifest })).rejects.toMatchObject({
    code: 'content_refused',
    message: expect.stringContaining(
      '10,000 images and other non-text files are new; a release may take a day at most, and GitHub accepts about 9,792 in that time',
    ),
  });
  expect(on.world.takeSent()).toBe(0);
});

test('a large file is read once, also where it is not known what the branch holds', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, { 'index.html': 'one', 'old.bin': 'o'.repeat(300_000) });
  await on.publish(request);
  // One of the new files is as large as what is there, so that only its bytes tell that it is another.
  const files = { 'new.bin': 'n'.repeat(400_000), 'same.bin': 's'.repeat(300_000) };
  const next = await on.harness.release(2, { 'old.bin': 'o'.repeat(300_000), ...files });
  const reads: string[] = [];
  const { store } = on.harness;
  const counting: ArtifactStore = {
    ...store,
    open: (sha256) => {
      reads.push(sha256);
      return store.open(sha256);
    },
    readWhole: (sha256) => {
      reads.push(sha256);
      return store.readWhole(sha256);
    },
  };
  await published(on.platform, { ...on.call, store: counting }, next);
  expect(reads).toHaveLength(3);
  const landed = filesOf(on.repository());
  expect(Object.keys(landed).sort()).toEqual(['.nojekyll', 'new.bin', 'old.bin', 'same.bin']);
  expect(landed['same.bin']).toBe(files['same.bin']);
});

test('a run that is killed between two pieces sends none of the first again', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, binaries(100));
  const refs = () => typeof request.ref?.sent === 'number' && request.ref.sent > 0;
  for (let count = 1; !refs(); count += 1) await killedAfter(on.platform, on.call, request, count);
  const done = Number(request.ref?.sent);
  on.world.takeSent();
  await on.publish(request);
  expect(on.world.takeSent()).toBe(100 - done);
});

test('every kind of bytes arrives as it is', async () => {
  await using on = await onGithub();
  const contents = new Map([
    ['mark.txt', Buffer.from('\ufefftext')],
    ['lines.txt', Buffer.from('a\r\nb\r')],
    ['latin.txt', Buffer.from([0x66, 0xfc, 0x72])],
    ['zero.txt', Buffer.from('a\0b')],
    ['emoji.txt', Buffer.from('🎈\u2028"\\')],
    ['large.bin', randomBytes(3 * 1024 ** 2 + 1)],
    ['large.txt', Buffer.from('x'.repeat(300_000))],
  ]);
  const request = await on.harness.release(1, {});
  const manifest = new Map<string, { sha256: string; sizeBytes: number }>();
  for (const [path, bytes] of contents) manifest.set(path, await on.harness.store.writeWhole(bytes));
  await on.publish({ ...request, manifest });
  const repository = on.repository();
  const [tree] = [...repository.trees.values()].toReversed();
  for (const [path, bytes] of contents)
    expect(repository.blobs.get(tree?.get(path) ?? '')?.equals(bytes), path).toBe(true);
});

test('a connection that is cut in the middle of an image is made up for', async () => {
  await using on = await onGithub();
  on.standIn.fail('upload', { how: 'cut' }, 2);
  await on.publish(await on.harness.release(1, { ...binaries(3), 'index.html': 'text' }));
  expect(filesOf(on.repository())).toEqual({ ...binaries(3), 'index.html': 'text', '.nojekyll': '' });
});

test('names with an underscore are served, and a file that sets a domain is left out', async () => {
  await using on = await onGithub();
  const files = { 'index.html': 'one', '_next/app.js': 'app()', CNAME: 'theirs.example.com' };
  const ref = await on.publish(await on.harness.release(1, files));
  expect(await textAt(on.call, await on.urlOf(ref), '_next/app.js')).toBe('app()');
  expect(filesOf(on.repository()).CNAME).toBeUndefined();
});

test('a single-page site shows its entry for what does not exist, until it is no single page any more', async () => {
  await using on = await onGithub();
  on.call.destination.isSinglePage = true;
  const request = await on.harness.release(1, { 'index.html': 'entry' });
  const ref = await on.publish(request);
  expect(await textAt(on.call, await on.urlOf(ref), 'no/such/page')).toBe('entry');
  on.call.destination.isSinglePage = false;
  await on.publishAfter(await on.harness.release(2, { 'index.html': 'entry' }), { request, ref });
  expect(Object.keys(filesOf(on.repository())).toSorted()).toEqual(['.nojekyll', 'index.html']);
});

test('what is gone leaves the branch, also where a folder takes the place of a file', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, { 'index.html': 'one', about: 'file', 'docs/a.txt': 'a' });
  const ref = await on.publish(request);
  const next = await on.harness.release(2, { 'index.html': 'one', 'about/index.html': 'folder', docs: 'file' });
  await on.publishAfter(next, { request, ref });
  const files = { 'index.html': 'one', 'about/index.html': 'folder', docs: 'file', '.nojekyll': '' };
  expect(filesOf(on.repository())).toEqual(files);
});

test('a release that changes nothing sends no file', async () => {
  await using on = await onGithub();
  const files = { 'index.html': 'one' };
  const request = await on.harness.release(1, files);
  const ref = await on.publish(request);
  const before = on.standIn.requests.length;
  await on.publishAfter(await on.harness.release(2, files), { request, ref });
  const steps = on.standIn.requests.slice(before).map(({ step }) => step);
  expect(steps).not.toContain('upload');
  expect(releasesOf(on.repository())).toHaveLength(2);
});

test('what somebody else wrote to the branch stays in its history, under the release', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const ref = await on.publish(request);
  const repository = on.repository();
  const tree = keepTree(repository, new Map([['theirs.txt', keepBlob(repository, Buffer.from('theirs'))]]));
  const theirs = keepCommit(repository, { tree, message: 'By hand', parents: [String(ref.commit)] }).sha;
  repository.branches.set('main', theirs);
  const next = await on.publishAfter(await on.harness.release(2, { 'index.html': 'two' }), { request, ref });
  expect(filesOf(repository)).toEqual({ 'index.html': 'two', '.nojekyll': '' });
  expect(repository.commits.get(String(next.commit))?.parents).toEqual([theirs]);
});

test('the domain stays with every later release and roll back, and goes when it is taken off', async () => {
  await using on = await onGithub();
  const one = await on.harness.release(1, { 'index.html': 'one' });
  const first = await on.publish(one);
  await on.platform.attachDomain?.(on.call, 'shop.example.com');
  const two = await on.harness.release(2, { 'index.html': 'two' });
  const second = await on.publishAfter(two, { request: one, ref: first });
  expect(filesOf(on.repository())).toMatchObject({ 'index.html': 'two', CNAME: 'shop.example.com' });
  const back = await restored(on.platform, on.call, first);
  expect(filesOf(on.repository())).toMatchObject({ 'index.html': 'one', CNAME: 'shop.example.com' });
  expect(back.commit).not.toBe(second.commit);
  await on.platform.detachDomain?.(on.call, 'shop.example.com');
  await on.publishAfter(await on.harness.release(3, { 'index.html': 'three' }), { request: one, ref: back });
  expect(filesOf(on.repository())).toEqual({ 'index.html': 'three', '.nojekyll': '' });
});

test('the record that keeps a domain from other accounts is told, with the page that has its value', async () => {
  await using on = await onGithub();
  await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  const [owner] = String(on.call.destination.site?.repository).split('/');
  const attached = await on.platform.attachDomain?.(on.call, 'shop.example.co.uk');
  expect(attached?.steps).toEqual([
    {
      text: expect.stringContaining(`_github-pages-challenge-${owner}.example.co.uk.`),
      url: `${on.standIn.apiUrl}/settings/pages`,
    },
  ]);
});

test('HTTPS is enforced once the certificate is there, and not before', async () => {
  await using on = await onGithub();
  await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  const attached = await on.platform.attachDomain?.(on.call, 'shop.example.com');
  on.state.zone.push(...(attached?.records ?? []));
  const isEnforced = () => on.repository().pages?.isHttpsEnforced;
  const read = async () => (await on.platform.domain?.(on.call, 'shop.example.com'))?.certificate.code;
  let code = await read();
  for (let look = 0; look < 10 && code !== 'certificate_issued'; look += 1) {
    expect(isEnforced()).toBe(false);
    code = await read();
  }
  if (!isEnforced()) await read();
  expect(isEnforced()).toBe(true);
  // A certificate that is reported and not yet in use.
  const { pages } = on.repository();
  if (pages !== null) pages.isHttpsEnforced = false;
  on.standIn.fail('attach', { how: 'status', status: 404, body: { message: 'The certificate does not exist yet' } });
  expect(await read()).toBe('certificate_issued');
  expect(isEnforced()).toBe(false);
  await read();
  expect(isEnforced()).toBe(true);
});

const LATER_S = 50;
const HINTS: readonly { title: string; headers: (now: Date) => Record<string, string>; leastMs: number }[] = [
  { title: 'seconds', headers: () => ({ 'retry-after': String(LATER_S) }), leastMs: 50_000 },
  {
    title: 'a used-up limit and its reset',
    headers: (now) => ({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(now.getTime() / 1_000) + LATER_S),
    }),
    leastMs: 48_000,
  },
  { title: 'no hint at all', headers: () => ({}), leastMs: 59_000 },
];

test.each(HINTS)('a secondary limit that answers 403 with $title is waited for', async ({ headers, leastMs }) => {
  for (const message of ['You have exceeded a secondary rate limit.', 'API rate limit exceeded for user ID 1.']) {
    await using on = await onGithub();
    on.standIn.fail('upload', { how: 'status', status: 403, headers: headers(on.call.now()), body: { message } });
    await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
    expect(Math.max(...on.harness.waits)).toBeGreaterThanOrEqual(leastMs);
    expect(Math.max(...on.harness.waits)).toBeLessThanOrEqual(61_000);
  }
});

test('an Enterprise Server is asked below the path of its API', async () => {
  await using on = await onGithub({ base: '/api/v3' });
  const ref = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('one');
  expect(on.standIn.requests.every(({ path }) => path.startsWith('/api/v3/'))).toBe(true);
});

test('a repository that was chosen keeps what it has, and stays when the deployment goes', async () => {
  await using on = await onGithub();
  initialize(newRepository(on.state, OWNER, 'my-things'));
  on.call.destination.options = { publicFiles: true, repository: 'my-things' };
  const ref = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('one');
  expect(filesOf(on.repository(), 'main')).toEqual({ 'README.md': '# my-things' });
  expect(filesOf(on.repository(), 'gh-pages')).toEqual({ 'index.html': 'one', '.nojekyll': '' });
  await on.platform.remove(on.call);
  expect([...on.repository().branches.keys()]).toEqual(['main']);
  expect(on.repository().pages).toBe(null);
});

test('a website that a chosen repository has keeps its domain', async () => {
  await using on = await onGithub();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const repository = newRepository(on.state, OWNER, 'my-things');
  initialize(repository, 'gh-pages');
  const builds = { builds: [], live: null, certificate: null, healthLooks: 0 };
  const source = { branch: 'gh-pages', path: '/', buildType: 'workflow' };
  repository.pages = { ...source, ...builds, cname: 'shop.example.com', isHttpsEnforced: false };
  on.call.destination.options = { publicFiles: true, repository: 'my-things' };
  // Where it is was not named for want of an event, as when a run is killed.
  await killedAfter(on.platform, on.call, request, 1);
  const ref = await on.publish(request);
  expect(filesOf(repository, 'gh-pages')).toEqual({ 'index.html': 'one', '.nojekyll': '', CNAME: 'shop.example.com' });
  expect(repository.pages.buildType).toBe('legacy');
  expect(await on.urlOf(ref)).toBe(`${on.standIn.apiUrl}/pages/pat/my-things`);
});

test('a repository that is not there, or is private in a plan without websites for it, is refused in words', async () => {
  await using on = await onGithub();
  on.call.destination.options = { publicFiles: true, repository: 'nowhere' };
  const missing = on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  await expect(missing).rejects.toMatchObject({
    code: 'permission_missing',
    message: expect.stringContaining('there is no repository pat/nowhere'),
    hint: expect.stringContaining('Check the name of the repository'),
  });
  const repository = newRepository(on.state, OWNER, 'secret');
  initialize(repository);
  repository.isPrivate = true;
  on.call.destination.options = { publicFiles: true, repository: 'secret' };
  const refused = on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  await expect(refused).rejects.toMatchObject({
    code: 'plan_limit',
    hint: expect.stringContaining(`${on.standIn.apiUrl}/settings/billing`),
  });
});

test('another repository that has the name by now is not touched', async () => {
  await using on = await onGithub();
  await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  on.state.repositories.clear();
  initialize(newRepository(on.state, OWNER, 'a-site'));
  const next = on.publish(await on.harness.release(2, { 'index.html': 'two' }));
  await expect(next).rejects.toMatchObject({ code: 'platform_place_gone' });
  await on.platform.remove(on.call);
  expect(filesOf(on.repository())).toEqual({ 'README.md': '# a-site' });
});

test('a token that may not delete repositories takes the website off all the same', async () => {
  await using on = await onGithub();
  const ref = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  const url = await on.urlOf(ref);
  on.state.scopes = 'repo';
  expect(await on.platform.remove(on.call)).toBe('https://github.com/pat/a-site');
  expect(on.state.repositories.size).toBe(1);
  expect(await textAt(on.call, url)).toContain("isn't a GitHub Pages site");
});

test('a build that does not begin is asked for, once', async () => {
  await using on = await onGithub();
  on.state.quirks.noBuild = true;
  const ref = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('one');
  const asked = on.standIn.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/builds'));
  expect(asked).toHaveLength(1);
});

test('a build that fails says why, and one that never ends is given up', async () => {
  await using on = await onGithub();
  on.standIn.fail('finish', { how: 'states', states: ['building', 'errored'] });
  await expect(on.publish(await on.harness.release(1, { 'index.html': 'one' }))).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('symlink'),
  });
  on.standIn.fail('finish', { how: 'states', states: Array.from({ length: 1_000 }, () => 'building') });
  await expect(on.publish(await on.harness.release(2, { 'index.html': 'two' }))).rejects.toMatchObject({
    message: expect.stringContaining('did not build this release in time'),
  });
});

test('an organization can own the repository', async () => {
  await using on = await onGithub();
  on.call.destination.target = ORGANIZATION;
  const ref = await on.publish(await on.harness.release(1, { 'index.html': 'one' }));
  expect(on.repository().owner).toBe(ORGANIZATION);
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('one');
  expect(await on.platform.listTargets(on.call)).toEqual([{ id: ORGANIZATION, name: ORGANIZATION }]);
});

test('a connection says whose account it is, what it may not do, and when it ends', async () => {
  await using on = await onGithub();
  on.state.quirks.tokenEndsAt = '2031-05-01 10:20:30 UTC';
  expect(await on.platform.verify(on.call)).toEqual({
    identity: 'Pat Example (pat)',
    subject: expect.stringMatching(/^\d+$/),
    warnings: [],
    expiresAt: new Date('2031-05-01T10:20:30Z'),
  });
  on.state.scopes = 'gist';
  expect((await on.platform.verify(on.call)).warnings).toEqual([
    'This token cannot write to repositories: create one with the scope repo.',
  ]);
});

test('that files become public has to be agreed to', () => {
  const options = PLATFORM_OPTIONS['github-pages'];
  expect(options.safeParse({}).error?.issues[0]?.message).toContain('may be public');
  expect(options.safeParse({ publicFiles: true }).success).toBe(true);
  expect(options.safeParse({ publicFiles: true, repository: 'pat/my.site_1' }).success).toBe(true);
  expect(options.safeParse({ publicFiles: true, repository: '../..' }).success).toBe(false);
});

test('an address of its website that is none of the web is never kept, nor shown', async () => {
  await using on = await onGithub({
    local: (text) => text.replace(/"html_url":"[^"]*\.github\.localhost[^"]*"/, '"html_url":"javascript:alert(1)//"'),
  });
  await expect(on.publish(await on.harness.release(1, { 'index.html': 'one' }))).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('an address that cannot be opened'),
    hint: expect.stringContaining('Check at GitHub Pages which address the site has.'),
  });
  expect(on.call.destination.site?.url).toBeUndefined();
});
