import { expect, test } from 'vitest';
import { MISSING_LINKS_MAX } from '../../routers/schemas/limits.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import type { DestinationDoc } from '../../server/database/models/publishing/destination.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { pagesWithBrokenLinks, saveMissing } from '../../server/publishing/publication/missing.ts';
import { KEYS_A_REQUEST, refusePrivateKeys } from '../../server/publishing/uploads/index.ts';
import { withFileFromBefore } from '../support/file-from-before.ts';
import { platforms } from '../support/platforms.ts';
import { contextOf, createPublishingApp, publish, type Site, sendSite, startRelease } from '../support/publishing.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

/** Written in parts, so that no scanner takes this file for the leak. */
const KEY = `AKIA${'ABCDEFGH12345678'}`;

async function publishNew(app: Awaited<ReturnType<typeof createPublishingApp>>, site: Site) {
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Looked into', platform: 'built-in' });
  const { steps, state, hasStartPage, needsBuild, destinations } = await publish(app, person, deployment, site);
  const log = steps.find(({ name }) => name === 'preparing')?.log.map(({ text }) => text) ?? [];
  const { currentRelease } = await person.caller.deployments.get({ deploymentId: deployment.id });
  return {
    state,
    hasStartPage,
    needsBuild: [needsBuild, currentRelease?.needsBuild],
    missing: [destinations[0]?.missingLinks, currentRelease?.missing],
    log,
    everything: JSON.stringify(steps),
  };
}

test('the log of a release says what is wrong with its files, and where, without the key itself', async () => {
  await using app = await createPublishingApp();
  const page = '<h1>One</h1>\n<img src="logo.png">\n<a href="/gone.html">Gone</a>';
  const released = await publishNew(app, {
    'index.html': page,
    'Logo.png': 'png',
    'js/config.js': `// keys\nconst key = '${KEY}';`,
    _headers: '/*\n  Content-Length: 1',
  });
  expect(released.state).toBe('live');
  expect(released.log).toEqual([
    'First release, 4 files',
    'Static website, start page index.html',
    expect.stringMatching(/^There is a secret key in js\/config\.js\. Whoever opens the site could use/),
    'js/config.js, line 2: AKIA•••••••• looks like an access key of Amazon Web Services',
    expect.stringMatching(/^1 link uses the wrong capitals\. It works on your computer but not on the web/),
    'index.html, line 2: logo.png is called Logo.png',
    '1 link leads nowhere. The file is missing. Add it or fix the link.',
    'index.html, line 3: /gone.html is not there',
    '_headers: 0 rules are followed',
    expect.stringMatching(/^_headers, line 2: Content-Length is set by the host itself/),
  ]);
  expect(released.everything).not.toContain(KEY);
  const example = '/logo.png is called Logo.png';
  expect(released.missing).toEqual([[example], { files: 1, links: 1, example }]);
});

test.each([
  [
    { 'about.html': 'x' },
    ['Files without a start page', /^There is no index\.html\. If about\.html is your home page/],
  ],
  [
    { 'package.json': '{"dependencies":{"astro":"5"}}', 'src/index.astro': 'x' },
    [
      'Astro source that still needs a build',
      /^A browser cannot show these files as they are\. Run the build of Astro/,
    ],
  ],
  [
    { 'index.html': '', 'large.html': ' '.repeat(1024 * 1024) },
    [/^Static website/, /^index\.html is empty/, /^1 text/],
  ],
])('the kind of the files and the first page are told: %#', async (site, expected) => {
  await using app = await createPublishingApp();
  const { log, hasStartPage, needsBuild } = await publishNew(app, site);
  expect(hasStartPage).toBe('index.html' in site);
  expect(needsBuild).toEqual('package.json' in site ? [true, true] : [undefined, undefined]);
  expect(log.slice(1)).toEqual(expected.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))));
});

test('links that begin with a slash are told where the site is below a folder, until a domain leads to it', async () => {
  await using github = await githubUnderTest();
  await using app = await createPublishingApp({
    providers: {
      platforms: { ...platforms, 'github-pages': github.platform },
      wait: async (_ms, signal) => signal.throwIfAborted(),
    },
  });
  const person = await app.trialPerson();
  const { connections, deployments, domains } = person.caller;
  await connections.connect({ provider: 'github-pages', token: TOKEN });
  const options = { publicFiles: true };
  const deployment = await deployments.create({ name: 'Below', platform: 'github-pages', options });
  const missing: string[][] = [];
  const logOf = async (text: string, style = '/style.css'): Promise<string[]> => {
    const page = `<link rel="stylesheet" href="${style}"><img src="there.png">${text}`;
    const site = {
      'index.html': page,
      'style.css': 'p {}',
      'there.png': 'png',
      'Build/g.wasm.br': 'x',
      _redirects: '/a /b',
    };
    const { steps, destinations } = await publish(app, person, deployment, site);
    missing.push(...destinations.map(({ missingLinks }) => missingLinks));
    return steps.find(({ name }) => name === 'preparing')?.log.map((line) => line.text) ?? [];
  };
  const told = expect.stringMatching(/^1 link begins with a slash\. The site is published in a folder/);
  const packed = expect.stringMatching(
    /^Browsers cannot read 1 compressed file at GitHub Pages\. The header Content-Enc/,
  );
  const unread = 'GitHub Pages follows none of the rules in _redirects';
  const lines = [told, 'index.html, line 1: /style.css', packed, 'Build/g.wasm.br', unread];
  expect(await logOf('one')).toEqual(expect.arrayContaining(lines));
  const { id: domainId } = await domains.add({ deploymentId: deployment.id, name: 'below.example.com' });
  // The domain leads nowhere, and GitHub would lead visitors there.
  for (const { pages } of github.standIn.state.repositories.values()) Object.assign(pages ?? {}, { cname: null });
  expect(await logOf('two')).toContainEqual(told);
  // Built for the folder that it is in.
  expect((await logOf('built', '/below/style.css')).join()).not.toMatch(/begins? with|leads? nowhere/);
  await DomainModel.updateOne({ _id: domainId, accountId: person.user.id }, { state: 'active' });
  expect(await logOf('three')).not.toContainEqual(told);
  const atRoot = expect.stringMatching(/^1 link begins with \/below\/\. The site was built for that folder/);
  expect(await logOf('four', '/below/style.css')).toContainEqual(atRoot);
  // Every byte is as it was uploaded, and visitors see bare text.
  expect(missing).toEqual([['/style.css'], ['/style.css'], [], ['/style.css'], []]);
});

test('what the entry page names is asked for once, and what is missing is told on the release that is live', async () => {
  await using app = await createPublishingApp();
  const page = `<link rel="stylesheet" href="style.css"><link rel="canonical" href="/nowhere">
<script src="/js/app.js"></script><img src="logo.png?v=2" srcset="small.png 1x, logo.png 2x"><a href="/gone.html">Gone</a>
<p style="background: url(back.png)">a</p><img src="https://example.com/far.png"><img src="data:image/png;base64,x">`;
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Named', platform: 'built-in' });
  const site = { 'index.html': page, 'style.css': 'p {}', 'small.png': 'png' };
  const { state, steps, destinations } = await publish(app, person, deployment, site);
  const missing = ['/js/app.js', '/logo.png?v=2', '/logo.png', '/back.png'];
  expect(state).toBe('live');
  expect(destinations).toMatchObject([{ missingLinks: missing }]);
  const log = steps.find(({ name }) => name === 'verifying')?.log.map(({ text }) => text) ?? [];
  expect(log).toContain('4 of 6 files on the start page do not load:');
  expect(log).toContain('/js/app.js is not there');
  const answered = expect.stringMatching(/^http\S+ answered with release 1$/);
  expect(log).toContainEqual(answered);

  // Where every address opens the start page, a page in place of a picture does not count as one.
  await person.caller.deployments.update({ deploymentId: deployment.id, isSinglePage: true });
  const more = await publish(app, person, deployment, { ...site, 'logo.png': 'png', 'back.png': 'png' });
  expect(more.destinations).toMatchObject([{ missingLinks: ['/js/app.js'] }]);
  // And no page leads nowhere there, unlike the address that the page gives as its own.
  expect(more.brokenLinks).toEqual([{ path: 'index.html', line: 1, text: '/nowhere is not there' }]);
  const whole = await publish(app, person, deployment, { 'index.html': '<img src="a.png">', 'a.png': 'png' });
  expect(whole.destinations).toMatchObject([{ missingLinks: [] }]);
});

test('links that lead nowhere stay said on the release, until the file is there', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const { caller } = person;
  const deployment = await caller.deployments.create({ name: 'Broken', platform: 'built-in' });
  const site = {
    'index.html': '<img src="logo.png">\n<a href="/gone.html">Gone</a> <a href="/gone.html">Again</a>',
    'about.html': '<img src="Boat.png"><a href="index.html">Start</a>',
    'boat.png': 'png',
  };
  const links = [
    { path: 'index.html', line: 2, text: '/gone.html is not there' },
    { path: 'about.html', line: 1, text: 'Boat.png is called boat.png' },
  ];
  const missingOf = async () => (await caller.deployments.get({ deploymentId: deployment.id })).currentRelease?.missing;
  const first = await publish(app, person, deployment, site);
  // The picture on the start page is told as a file of that page.
  expect(first.brokenLinks).toEqual(expect.arrayContaining(links));
  expect(first.brokenLinks).toHaveLength(2);
  expect(await missingOf()).toEqual({ files: 1, links: 2, example: '/logo.png' });

  // A page that did not change is looked into again as long as its links lead nowhere.
  const second = await publish(app, person, deployment, { ...site, 'logo.png': 'png' });
  expect(second.brokenLinks).toHaveLength(2);
  expect(await missingOf()).toMatchObject({ files: 0, links: 2, example: expect.stringMatching(/, line \d: /) });

  const whole = { ...site, 'logo.png': 'png', 'gone.html': 'x', 'Boat.png': 'png' };
  expect((await publish(app, person, deployment, whole)).brokenLinks).toEqual([]);
  expect(await missingOf()).toBeUndefined();

  // A file that is taken away breaks links of pages that did not change.
  const { 'gone.html': _, ...without } = whole;
  expect((await publish(app, person, deployment, without)).brokenLinks).toEqual(links.slice(0, 1));
});

test('links beyond the most that a release keeps are found once the others are mended', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Full', platform: 'built-in' });
  const pictures = Array.from({ length: MISSING_LINKS_MAX }, (_, at) => `<img src="${at}.png">`).join('\n');
  const site = { 'index.html': pictures, 'z.html': '<a href="gone.html">Gone</a>' };
  const first = await publish(app, person, deployment, site);
  // They are told as files too, and still counted: there are more than a full list holds.
  expect(first.brokenLinks).toHaveLength(MISSING_LINKS_MAX);
  const { currentRelease } = await person.caller.deployments.get({ deploymentId: deployment.id });
  expect(currentRelease?.missing).toMatchObject({ files: MISSING_LINKS_MAX, links: MISSING_LINKS_MAX });
  const second = await publish(app, person, deployment, { ...site, 'index.html': 'x' });
  expect(second.brokenLinks).toEqual([{ path: 'z.html', line: 1, text: 'gone.html is not there' }]);
});

test('a link that was told as a file is told as a link when the host cannot say what is missing', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const { releases, deployments } = person.caller;
  const deployment = await deployments.create({ name: 'Slow', platform: 'built-in' });
  const released = await publish(app, person, deployment, { 'index.html': '<img src="logo.png">' });
  expect(released).toMatchObject({ brokenLinks: [], destinations: [{ missingLinks: ['/logo.png'] }] });
  const release = await ReleaseModel.findOne({ _id: released.id, accountId: person.user.id }).orFail().lean();
  const work = { release, destination: { url: null } as DestinationDoc, isPrimary: true };
  await ReleaseModel.db.transaction((session) => saveMissing(session, work, []));
  const read = await releases.get({ releaseId: released.id });
  expect(read.brokenLinks).toEqual([{ path: 'index.html', line: 1, text: 'logo.png is not there' }]);
});

test('a release from before broken links were kept, and one with a full list, say nothing of which pages are well', () => {
  const link = { path: 'a.html', line: 1, text: 'x is not there', target: 'x' };
  expect(pagesWithBrokenLinks({ brokenLinks: [link] })).toEqual(['a.html']);
  expect(pagesWithBrokenLinks({ brokenLinks: [] })).toEqual([]);
  expect(pagesWithBrokenLinks({})).toBeNull();
  expect(pagesWithBrokenLinks({ brokenLinks: Array.from({ length: MISSING_LINKS_MAX }, () => link) })).toBeNull();
});

const PUBLIC_KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\nAAAA\n';
const PRIVATE_KEY = '-----BEGIN PRIVATE KEY-----\nAAAA\n';

test('of more keys than a request looks into a release looks into all, before anything is sent', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Many keys', platform: 'built-in' });
  const many = Array.from({ length: KEYS_A_REQUEST.files }, (_, index) => [`keys/${index}.pub`, PUBLIC_KEY]);
  const site = { 'index.html': 'x', ...Object.fromEntries(many), 'z.pem': PRIVATE_KEY };
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  await sendSite(await contextOf(app, person), uploadId, site);
  const unread = { cause: { code: 'upload_refused', reason: 'private_key', path: 'z.pem' } };
  await expect(person.caller.releases.preview({ uploadId })).rejects.toMatchObject(unread);
  const { id: releaseId } = await person.caller.releases.create({ deploymentId, uploadId });
  await app.jobs.drain();
  const release = await person.caller.releases.get({ releaseId });
  const refused = { code: 'upload_refused', message: expect.stringMatching(/^z\.pem: Probably a private key/) };
  expect(release).toMatchObject({ state: 'failed', error: refused });
  expect(release.steps.map(({ state }) => state)).toEqual(['failed', 'waiting', 'waiting', 'waiting']);
});

test('a release from before the rule is held to it when it is tried again', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Old keys', platform: 'built-in' });
  const { id: releaseId } = await startRelease(app, person, deployment, { 'index.html': 'x' });
  await person.caller.releases.cancel({ releaseId });
  await withFileFromBefore(app, person, releaseId, ['sec.asc', PRIVATE_KEY]);
  const { id } = await person.caller.releases.retry({ releaseId });
  await app.jobs.drain();
  const refused = { code: 'upload_refused', message: expect.stringMatching(/^sec\.asc: Probably a private key/) };
  expect(await person.caller.releases.get({ releaseId: id })).toMatchObject({ state: 'failed', error: refused });
  expect((await app.visit('old-keys', '/sec.asc')).status).toBe(404);
});

test('keys are looked into some at a time, by their first bytes, as far as a request may wait', async () => {
  const at = { now: 0, most: 0, asked: 0 };
  const store = {
    async readStart(_sha256: string, bytes: number) {
      at.asked += 1;
      at.now += 1;
      at.most = Math.max(at.most, at.now);
      await Promise.resolve();
      at.now -= 1;
      return Buffer.alloc(bytes, 'a');
    },
  };
  const entry = { sha256: '0'.repeat(64), sizeBytes: 500 * 1024 * 1024 };
  const manifest = new Map(Array.from({ length: 10_000 }, (_, index) => [`${index}.pub`, entry]));
  expect(await refusePrivateKeys(store, manifest, { most: KEYS_A_REQUEST })).toBe('128.pub');
  expect(at).toEqual({ now: 0, most: 16, asked: 128 });
});
