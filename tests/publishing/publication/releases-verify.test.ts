import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { expect, test } from 'vitest';
import { builtInCapabilities } from '../../../routers/schemas/platforms/capabilities/built-in.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { PublicationModel } from '../../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { addressHere, type SiteAddress } from '../../../server/database/site-address.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { createEgress, type Egress } from '../../../server/lib/egress/egress.ts';
import { JobDeferred } from '../../../server/lib/errors.ts';
import type { ReleaseWork } from '../../../server/publishing/publication/release-work.ts';
import type {
  Turns,
  VerificationProgress,
} from '../../../server/publishing/publication/verification/compare-answers.ts';
import { createTurns } from '../../../server/publishing/publication/verification/turns.ts';
import {
  type ReleaseToVerify,
  seenLine,
  verifyAtOwnAddress,
  verifyAtPublicAddress,
} from '../../../server/publishing/publication/verify.ts';
import { encodeManifest, type Manifest } from '../../../server/store/manifest.ts';
import { atFreePort, portOf } from '../../support/at-free-port.ts';
import { selfSigned } from '../../support/certificate.ts';
import { createPublishingApp, type PublishingApp } from '../../support/publishing.ts';
import { oddNames } from '../../support/sites.ts';

type Content = Record<string, string | Buffer>;

/** Creates a release whose files are stored, known to the host; what it is compared with is up to the test. */
async function createSubject(app: PublishingApp, slug: string, content: Content) {
  const { store, addresses } = app.providers;
  const entries = await Promise.all(
    Object.entries(content).map(async ([path, text]) => {
      const { sha256, sizeBytes } = await store.writeWhole(Buffer.from(text));
      return [path.normalize('NFC'), { sha256, sizeBytes }] as const;
    }),
  );
  const manifest: Manifest = new Map(entries);
  const { sha256: manifestHash } = await store.writeWhole(await encodeManifest(manifest));
  const ids = { accountId: newId(), deploymentId: newId() };
  await DeploymentModel.create({
    _id: ids.deploymentId,
    accountId: ids.accountId,
    name: slug,
    nameKey: slug,
    slug,
    platform: 'built-in',
    primaryId: 'there',
    destinations: [{ _id: 'there', platform: 'built-in' }],
    state: 'deploying',
  });
  const release = await ReleaseModel.create({
    _id: newId(),
    ...ids,
    number: 1,
    state: 'verifying',
    source: 'folder',
    createdBy: 'test',
    manifestHash,
    fileCount: manifest.size,
    totalBytes: 1,
    changedFiles: 0,
  });
  const toVerify: ReleaseToVerify = {
    own: addressHere(addresses, { slug, release: 1 }),
    public: addressHere(addresses, { slug, release: null }),
    manifest,
    egress: app.providers.egress,
    serving: builtInCapabilities.serving,
    specialFiles: builtInCapabilities.specialFiles,
    isSinglePage: false,
    signal: new AbortController().signal,
    settleMs: 0,
  };
  const makePublic = () =>
    DeploymentModel.updateOne(
      { _id: ids.deploymentId, accountId: ids.accountId },
      { $set: { currentReleaseId: release._id } },
    );
  return { toVerify, manifest, makePublic, release };
}

const different = { sha256: 'f'.repeat(64), sizeBytes: 3 };

test('every file that the host serves is seen at the release’s own address, odd names and hidden ones as they are', async () => {
  await using app = await createPublishingApp();
  const content = {
    ...oddNames(),
    '.well-known/a.txt': 'a',
    '.env': 'on purpose',
    '.nojekyll': '',
    _redirects: '/a /b',
    _headers: '/*',
    'empty.txt': '',
  };
  const { toVerify, manifest } = await createSubject(app, 'odd', content);
  const seen: number[] = [];
  const { unverified: unseen } = await verifyAtOwnAddress({ ...toVerify, onProgress: ({ done }) => seen.push(done) });
  expect(unseen).toHaveLength(manifest.size - 3);
  expect(seen.at(-1)).toBe(unseen.length);
});

test('one file that answers with other bytes fails the release, by name', async () => {
  await using app = await createPublishingApp();
  const { toVerify, manifest } = await createSubject(app, 'other', { 'index.html': 'one', 'über uns.html': 'two' });
  const expected = new Map([...manifest, ['über uns.html', different] as const]);
  await expect(verifyAtOwnAddress({ ...toVerify, manifest: expected })).rejects.toMatchObject({
    code: 'verification_failed',
    message: expect.stringContaining('/%C3%BCber%20uns.html does not match the file'),
  });
});

test('a file that is not served at all fails the release', async () => {
  await using app = await createPublishingApp();
  const { toVerify, manifest } = await createSubject(app, 'less', { 'index.html': 'one' });
  const expected = new Map([...manifest, ['missing.html', different] as const]);
  await expect(verifyAtOwnAddress({ ...toVerify, manifest: expected })).rejects.toMatchObject({
    message: expect.stringContaining('status 404 instead of 200'),
  });
});

test('the public address is looked at: entry page, a page that does not exist, the largest files', async () => {
  await using app = await createPublishingApp();
  const { toVerify, manifest, makePublic } = await createSubject(app, 'public', {
    'index.html': 'one',
    '404.html': 'gone',
    'a/b.css': 'x',
  });
  await expect(verifyAtPublicAddress(toVerify)).rejects.toMatchObject({ code: 'verification_failed' });
  await makePublic();
  await verifyAtPublicAddress({ ...toVerify, settleMs: 5_000 });
  const otherPage = new Map([...manifest, ['404.html', different] as const]);
  await expect(verifyAtPublicAddress({ ...toVerify, manifest: otherPage })).rejects.toMatchObject({
    code: 'verification_failed',
  });
});

test('a site without an entry page or a page for what is missing can be verified too', async () => {
  await using app = await createPublishingApp();
  const { toVerify, makePublic } = await createSubject(app, 'bare', { 'data.json': '{}' });
  await makePublic();
  await verifyAtPublicAddress({ ...toVerify, settleMs: 5_000 });
});

test('a host that follows the switch a moment later is asked again', async () => {
  await using app = await createPublishingApp();
  const { toVerify, makePublic } = await createSubject(app, 'late', { 'index.html': 'one' });
  const verified = verifyAtPublicAddress({ ...toVerify, settleMs: 20_000 });
  await makePublic();
  await verified;
});

test('a connection that is never answered is followed by another', async () => {
  await using app = await createPublishingApp();
  const { toVerify } = await createSubject(app, 'swallowed', { 'index.html': 'one' });
  const listener = app.providers.addresses.sitesListener;
  let connections = 0;
  const open = new Set<Socket>();
  const proxy = createServer((socket) => {
    connections += 1;
    open.add(socket.on('error', () => undefined));
    if (connections > 1) pipeline(socket, connect(listener.port, listener.host), socket, () => undefined);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  try {
    const own = { ...(toVerify.own ?? toVerify.public), listener: { ...listener, port: portOf(proxy) } };
    // A silence is told after a fifth of its time.
    const egress: Egress = {
      request: (url, asked, read) =>
        toVerify.egress.request(url, { ...asked, silenceMs: (asked.silenceMs ?? 0) / 5 }, read),
    };
    // Less patience for what differs than for silence: the one must not use up the other.
    expect((await verifyAtOwnAddress({ ...toVerify, egress, own, settleMs: 200 })).unverified).toHaveLength(1);
    expect(connections).toBe(2);
  } finally {
    for (const socket of open) socket.destroy();
    proxy.close();
  }
});

test('a host that cannot be reached is said so, and a cancelled look ends at once', async () => {
  await using app = await createPublishingApp();
  const { toVerify } = await createSubject(app, 'away', { 'index.html': 'one' });
  const away = {
    ...toVerify,
    own: { ...toVerify.public, listener: { protocol: 'http:', host: '127.0.0.1', port: 1 } as const },
  };
  await expect(verifyAtOwnAddress(away)).rejects.toMatchObject({
    code: 'verification_failed',
    message: expect.stringContaining('could not be opened'),
  });
  const reason = new Error('cancelled');
  await expect(verifyAtOwnAddress({ ...away, settleMs: 60_000, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test('a site that answers rightly and slowly does not hold a worker for as long as each of its files may take', async () => {
  await using app = await createPublishingApp();
  const names = Array.from({ length: 4 }, (_, number) => `${number}.txt`);
  const { toVerify } = await createSubject(app, 'slow', Object.fromEntries(names.map((name) => [name, name])));
  const slow = createHttpServer(({ url = '' }, response) => void setTimeout(() => response.end(url.slice(1)), 900));
  await using own = await atFreePort(slow);
  await expect(verifyAtOwnAddress({ ...toVerify, own, runMs: 0 })).rejects.toMatchObject({
    code: 'verification_failed',
    message: expect.stringMatching(/ is too slow: \d+ of 4 files checked in a minute\.$/),
  });
  expect((await verifyAtOwnAddress({ ...toVerify, own })).unverified).toHaveLength(4);
});

test('a slow site is looked at in turns, and what one turn has seen is not asked for in the next', async () => {
  await using app = await createPublishingApp();
  const names = Array.from({ length: 12 }, (_, number) => `${number}.txt`);
  const { toVerify } = await createSubject(app, 'turns', Object.fromEntries(names.map((name) => [name, name])));
  const asked: string[] = [];
  // Longer than a turn: each look that begins with the turn is made to its end all the same.
  const slow = createHttpServer(({ url = '' }, response) => {
    asked.push(url);
    setTimeout(() => response.end(url.slice(1)), 100);
  });
  await using own = await atFreePort(slow);
  const looked: VerificationProgress[] = [];
  const keep = async (one: VerificationProgress): Promise<void> => void looked.splice(0, looked.length, one);
  const look = (act: string) =>
    verifyAtOwnAddress({ ...toVerify, own, turns: { act, looked: () => looked, save: keep, turnMs: 1 } });
  await expect(look('one')).rejects.toThrow(new JobDeferred(`${own.url} is slow: 8 of 12 files checked so far`, 500));
  expect(asked).toHaveLength(8);
  expect((await look('one')).unverified).toHaveLength(12);
  expect(asked).toHaveLength(12);
  expect(new Set(asked).size).toBe(12);

  // Another publication sees all of them anew.
  await expect(look('two')).rejects.toThrow('8 of 12');
  expect(looked).toMatchObject([{ spentMs: expect.any(Number) }]);
  // The time of all turns counts.
  looked[0] = { ...(looked[0] ?? expect.fail()), spentMs: 60 * 60_000 };
  await expect(look('two')).rejects.toMatchObject({ code: 'verification_failed' });
});

test('what the turns of a verification have seen is kept with the release, of two lists', async () => {
  await using app = await createPublishingApp();
  const { release } = await createSubject(app, 'kept', { 'index.html': 'one' });
  const ids = { accountId: release.accountId, deploymentId: release.deploymentId, releaseId: release._id };
  const publication = { ...ids, _id: newId(), destinationId: newId(), platform: 'built-in' as const };
  await PublicationModel.create(publication);
  const read = () => PublicationModel.findOne({ _id: publication._id, accountId: ids.accountId }).orFail().lean();
  const turnsOf = (published: Awaited<ReturnType<typeof read>>): Turns =>
    // All that turns need of the work.
    createTurns({ providers: app.providers, transaction }, { release, published } as unknown as ReleaseWork);
  const one = { of: 'a'.repeat(64), seen: Buffer.from([5, 1]), spentMs: 1_200 };
  const two = { ...one, of: 'b'.repeat(64) };
  const turns = turnsOf(await read());
  for (const looked of [one, two, { ...one, spentMs: 2_400 }]) await turns.save(looked);
  expect(turnsOf(await read()).looked()).toEqual([{ ...one, spentMs: 2_400 }, two]);
});

test('what a platform serves by its own rules is what it says: clean addresses by a redirect, a page of its own', async () => {
  await using app = await createPublishingApp();
  const { toVerify } = await createSubject(app, 'elsewhere', {
    'index.html': 'one',
    'about.html': 'about',
    '404.html': 'mine',
    _redirects: '/about.html /nowhere 301!',
  });
  const pages: Record<string, string> = { '/': 'one', '/index.html': 'one', '/about': 'about', '/404.html': 'mine' };
  const platform = createHttpServer((request, response) => {
    if (request.url === '/about.html') return response.writeHead(301, { location: '/about' }).end();
    const page = pages[request.url ?? ''];
    return response.writeHead(page === undefined ? 404 : 200).end(page ?? 'the page of the platform');
  });
  await using there = await atFreePort(platform);
  const serving = { notFoundPage: false, singlePage: false, redirects: false, packedFiles: true };
  await verifyAtOwnAddress({ ...toVerify, own: there, public: there, serving });
  await verifyAtPublicAddress({ ...toVerify, own: there, public: there, serving });
  const promised = { ...serving, notFoundPage: true };
  const refused = verifyAtPublicAddress({ ...toVerify, own: there, public: there, serving: promised });
  await expect(refused).rejects.toMatchObject({ code: 'verification_failed' });
});

test('a site that a platform puts at an address of this network is not gone to', async () => {
  await using app = await createPublishingApp();
  const { toVerify } = await createSubject(app, 'inside', { 'index.html': 'one' });
  const inside = { ...toVerify, egress: createEgress(), own: { url: 'http://127.0.0.1:1' } };
  await expect(verifyAtOwnAddress({ ...inside, settleMs: 60_000 })).rejects.toMatchObject({
    code: 'verification_failed',
    message: expect.stringContaining('is not a public web address'),
  });
});

type Quick = { expected?: Manifest; listener?: SiteAddress['listener'] };

/** Returns the outcome for these files on our own host, and the paths that were fetched one by one. */
async function quickly(
  app: PublishingApp,
  slug: string,
  content: Content,
  { expected = new Map(), listener = app.providers.addresses.sitesListener }: Quick = {},
) {
  const { toVerify, manifest } = await createSubject(app, slug, content);
  const own = { ...(toVerify.own ?? toVerify.public), listener };
  const asked: string[] = [];
  const egress: Egress = {
    request: (url, request, read) => {
      asked.push(new URL(url).pathname);
      return toVerify.egress.request(url, request, read);
    },
  };
  const all = new Map([...manifest, ...expected]);
  const looked = verifyAtOwnAddress({ ...toVerify, own, egress, manifest: all, quickFilesMin: 1 });
  return { outcome: await looked.then(({ unverified: unseen }) => unseen.length, String), asked };
}

test('many files are looked at by a thread, and what it does not see is looked at with care', async () => {
  await using app = await createPublishingApp();
  const content = { ...oddNames(), 'empty.txt': '', 'large.bin': Buffer.alloc(3_000_000, 'x') };
  const names = Array.from({ length: 20 }, (_, number) => `${number}.txt`);
  const many = { ...content, ...Object.fromEntries(names.map((name) => [name, name])) };
  expect(await quickly(app, 'in-thread', many)).toEqual({ outcome: Object.keys(many).length, asked: [] });

  const wrong = await quickly(
    app,
    'wrong',
    { 'index.html': 'one' },
    {
      expected: new Map([['index.html', different]]),
    },
  );
  expect(wrong).toMatchObject({ outcome: expect.stringContaining('does not match the file'), asked: ['/index.html'] });
  const sized = { sha256: different.sha256, sizeBytes: 'one'.length };
  const other = await quickly(
    app,
    'sized',
    { 'index.html': 'one' },
    {
      expected: new Map([['index.html', sized]]),
    },
  );
  expect(other).toMatchObject({ outcome: expect.stringContaining('does not match the file'), asked: ['/index.html'] });
  const missing = await quickly(
    app,
    'missing',
    { 'index.html': 'one' },
    {
      expected: new Map([['a.html', different]]),
    },
  );
  expect(missing.outcome).toContain('/a.html answers with status 404');
});

test('the thread asks again for what a connection that ended has left unanswered', async () => {
  await using app = await createPublishingApp();
  const { host, port } = app.providers.addresses.sitesListener;
  const content = Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`${number}.txt`, `${number}`]));
  const listener = createServer((socket) => {
    const site = connect(port, host);
    pipeline(socket, site, () => undefined);
    site.once('data', (answered) => socket.end(answered));
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  try {
    const ending = { protocol: 'http:', host: '127.0.0.1', port: portOf(listener) } as const;
    expect(await quickly(app, 'ending', content, { listener: ending })).toEqual({ outcome: 40, asked: [] });
  } finally {
    listener.close();
  }
});

test('the thread looks at a listener with a certificate as well, and names the site to it', async () => {
  await using app = await createPublishingApp();
  const { host, port } = app.providers.addresses.sitesListener;
  const names = new Set<string | false | null>();
  const { key, cert } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
  const listener = createTlsServer({ key, cert }, (socket) => {
    names.add(socket.servername);
    pipeline(socket, connect(port, host), socket, () => undefined);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  try {
    const secured = { protocol: 'https:', host: '127.0.0.1', port: portOf(listener) } as const;
    const looked = await quickly(app, 'secured', { 'index.html': 'one', 'a.txt': 'a' }, { listener: secured });
    expect(looked).toEqual({ outcome: 2, asked: [] });
    expect([...names]).toEqual(['r1--secured.localhost']);
  } finally {
    listener.close();
  }
});

test('a sample of the unchanged files is told as one, and a comparison of all files is not', () => {
  const files = (count: number) => new Array(count).fill(null);
  const line = (unseen: number, sample: number, seenCount: number) =>
    seenLine({ unverified: files(unseen), sample: files(sample), verifiedCount: seenCount }, 'here', '7');
  expect(line(3, 0, 0)).toBe('3 files match your upload at here');
  expect(line(1, 2, 2)).toBe('3 files match your upload at here');
  expect(line(1, 100, 240)).toBe(
    '1 new or changed file and 100 of 240 unchanged files match your upload at here (random sample, seed 7)',
  );
});
