import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { PLATFORM_OPTIONS } from '../../routers/schemas/platforms/options.ts';
import { readOutput } from '../../server/publishing/platforms/heroku/api.ts';
import type { PlatformRef } from '../../server/publishing/platforms/platform.ts';
import { fillAnswerBudget } from '../support/full-budget.ts';
import { countRequests, onPlatform, restored, textAt } from '../support/platform-harness.ts';
import { IS_FULL } from '../support/size.ts';
import { type Dyno, SHORT_PATIENCE, startDyno, unpack } from '../support/standins/heroku/dyno.ts';
import { newApp, TEAM } from '../support/standins/heroku/state.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';

/** Enough that a request or an archive a file would be seen. */
const PAGES = IS_FULL ? 9_999 : 499;
/** POST sources, PUT the archive, POST build, GET build, GET release. */
const REQUESTS_MAX = 5;
const FILES = { 'index.html': '<h1>one</h1>', 'about.html': 'about', '404.html': 'nothing here', 'app.js': 'app()' };

async function onHeroku() {
  const on = await onPlatform(await herokuUnderTest());
  return { ...on, app: () => [...on.state.apps.values()].filter(({ isOurs }) => isOurs)[0] };
}

test('an empty app of the person that has the name is neither taken over nor deleted', async () => {
  await using on = await onHeroku();
  newApp(on.state, on.call.destination.slug, null, true);
  await on.publish(1, FILES);
  expect([...on.state.apps.values()].map(({ name }) => name)).toEqual(['a-site', 'a-site-dddddd']);
  await on.platform.remove(on.call);
  expect([...on.state.apps.values()].map(({ name }) => name)).toEqual(['a-site']);
});

test('one changed file of very many takes five requests and one archive', async () => {
  await using on = await onHeroku();
  const pages = Object.fromEntries(Array.from({ length: PAGES }, (_, page) => [`pages/${page}.txt`, `page ${page}`]));
  const releaseOf = (number: number, text: string) => on.harness.release(number, { ...pages, 'index.html': text });
  const before = await releaseOf(1, 'one');
  const previous = { ref: (await on.send(before)).ref, manifest: before.manifest };
  const count = on.standIn.requests.length;
  const { ref } = await on.send({ ...(await releaseOf(2, 'two')), previous });
  const url = await on.urlOf(ref);
  const asked = on.standIn.requests.slice(count);
  expect(countRequests('Heroku', asked, `${PAGES + 1}`)).toBeLessThanOrEqual(REQUESTS_MAX);
  expect(asked.filter(({ step }) => step === 'upload')).toHaveLength(1);
  expect(await textAt(on.call, url)).toBe('two');
  expect(await textAt(on.call, url, `pages/${PAGES - 1}.txt`)).toBe(`page ${PAGES - 1}`);
});

test('the archive goes to its presigned address with no token and no media type, and every other request with one', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  const uploads = on.standIn.requests.filter(({ step }) => step === 'upload');
  expect(uploads).toMatchObject([{ method: 'PUT', token: null, status: 200 }]);
  const others = on.standIn.requests.filter(({ step }) => step !== 'upload');
  expect(others.filter(({ token }) => token === null)).toEqual([]);
});

test('an address of the storage that has ended is asked for anew, with the release as it was', async () => {
  await using on = await onHeroku();
  const request = await on.harness.release(1, FILES);
  on.standIn.fail('upload', { how: 'status', status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
  await expect(on.send(request)).rejects.toMatchObject({ code: 'out_of_sync' });
  const { ref } = await on.send(request);
  expect(await textAt(on.call, await on.urlOf(ref))).toBe(FILES['index.html']);
});

test('an archive has no headers but those of the oldest form of tar, whatever the files are called', async () => {
  await using on = await onHeroku();
  const names = ['ä/ö.txt', `${'long/'.repeat(40)}x.txt`, 'a b#c?.txt', '__proto__', 'Procfile', 'server.mjs', 'files'];
  const files = Object.fromEntries(names.map((name) => [name, `in ${name}`]));
  const { ref } = await on.publish(1, { ...files, 'index.html': 'one' });
  const [archive] = on.state.sources.values();
  const entries = [...(await unpack(archive ?? Buffer.alloc(0))).keys()];
  expect(entries.slice(0, 3)).toEqual(['Procfile', 'package.json', 'server.mjs']);
  expect(entries.at(-1)).toBe('site.json');
  for (const entry of entries.slice(3, -1)) expect(entry).toMatch(/^files\/[0-9a-f]{64}$/);
  const url = await on.urlOf(ref);
  for (const name of names) {
    const path = name.split('/').map(encodeURIComponent).join('/');
    expect(await textAt(on.call, url, path)).toBe(`in ${name}`);
  }
});

const visit = ({ port }: Dyno) => connect(port, '127.0.0.1').on('error', () => undefined);

test('a web process that is told to end answers what it has begun, and waits for nobody after it', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  const [archive] = on.state.sources.values();
  const dyno = await startDyno(archive ?? Buffer.alloc(0));
  const visitor = visit(dyno).setEncoding('utf8');
  visitor.write('GET /app.js HTTP/1.1\r\nHost: a-site\r\n\r\nGET /about.html HTTP/1.1\r\n');
  let answers = '';
  visitor.on('data', (text) => {
    answers += text;
  });
  await expect.poll(() => answers).toContain('app()');
  const ended = dyno.stop();
  const isRefused = async () => {
    const next = visit(dyno);
    try {
      await once(next, 'connect');
      return false;
    } catch {
      // One that was let in and is not yet taken is reset with the process.
      return true;
    } finally {
      next.destroy();
    }
  };
  await expect.poll(isRefused).toBe(true);
  visitor.write('Host: a-site\r\n\r\n');
  await ended;
  await expect.poll(() => answers).toContain(FILES['about.html']);
});

test('a web process that is told to end is not held by a visitor who asks for nothing', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  const [archive] = on.state.sources.values();
  const dyno = await startDyno(archive ?? Buffer.alloc(0), SHORT_PATIENCE);
  await once(visit(dyno), 'connect');
  await dyno.stop();
});

test('a build that succeeded is not public before its release is, and a release that failed is a failure', async () => {
  await using on = await onHeroku();
  on.state.quirks.releaseStatus = 'failed';
  await expect(on.publish(1, FILES)).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('release failed'),
  });
});

test('a build that failed says the lines of its log that are marked, and the log is read as text', async () => {
  await using on = await onHeroku();
  const request = await on.harness.release(1, FILES);
  on.standIn.fail('finish', { how: 'states', states: ['pending', 'error'] });
  const run = on.platform.publish(on.call, request);
  let ref: PlatformRef = {};
  const all = async (): Promise<void> => {
    for (let next = await run.next(); !next.done; next = await run.next()) {
      if (next.value.type === 'site') on.call.destination.site = next.value.site;
      if (next.value.type !== 'ref') continue;
      ref = next.value.ref;
      for (const build of on.app()?.builds ?? []) build.output += ' !     Could not install Node.js\n';
    }
  };
  await expect(all()).rejects.toMatchObject({ message: expect.stringContaining('Could not install Node.js') });
  expect(await on.platform.readLog?.(on.call, ref)).toContain('-----> Node.js app detected');
  const streams = on.standIn.requests.filter(({ path }) => path.startsWith('/streams/'));
  expect(streams.map(({ token }) => token)).not.toContain('Bearer a-secret-token');
  // It is read within the room of all answers, as whatever a platform says.
  await using _full = await fillAnswerBudget();
  const read = readOutput(on.call, `http://127.0.0.1:${on.standIn.port}${streams[0]?.path}`);
  await expect(read).rejects.toMatchObject({ code: 'overloaded' });
});

test('the configuration of an app is left as it is, and its dyno is asked for once', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  Object.assign(on.app()?.config ?? {}, { SECRET: 'kept' });
  await on.publish(2, { ...FILES, 'index.html': 'two' });
  expect(on.app()?.config).toEqual({ SECRET: 'kept' });
  expect(on.app()?.formation).toEqual({ quantity: 1, size: 'basic' });
  expect(on.standIn.requests.filter(({ path }) => path.endsWith('/formation'))).toHaveLength(1);
  on.call.destination.options = { paymentThere: true, dyno: 'eco' };
  await on.publish(3, { ...FILES, 'index.html': 'three' });
  expect(on.app()?.formation).toEqual({ quantity: 1, size: 'eco' });
});

test('an app that was chosen is published to, stays when the deployment goes, and costs nothing then', async () => {
  await using on = await onHeroku();
  const { id } = newApp(on.state, 'mine-already');
  on.call.destination.options = { paymentThere: true, app: 'mine-already' };
  const { ref } = await on.publish(1, FILES);
  expect(on.state.apps.size).toBe(1);
  expect(await textAt(on.call, await on.urlOf(ref))).toBe(FILES['index.html']);
  await on.platform.remove(on.call);
  expect(on.state.apps.get(id)?.formation.quantity).toBe(0);
  on.call.destination = { ...on.call.destination, site: null, options: { paymentThere: true, app: 'not-there' } };
  await expect(on.publish(2, FILES)).rejects.toMatchObject({
    message: expect.stringContaining('no app with the name'),
    hint: expect.stringContaining('Check the name of the app'),
  });
});

test('an app of the account that runs something already is left alone', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  const first = on.app();
  on.call.destination = { ...on.call.destination, id: 'e'.repeat(20), site: null };
  const { ref } = await on.publish(2, { 'index.html': 'another' });
  expect([...on.state.apps.values()].map(({ name }) => name)).toEqual(['a-site', 'a-site-eeeeee']);
  expect(first?.releases).toHaveLength(1);
  expect(await textAt(on.call, await on.urlOf(ref))).toBe('another');
});

test.each([
  ['9lives', /^site-9lives$/],
  ['ab', /^site-ab$/],
  [`long-${'x'.repeat(24)}-and-more`, /^long-x{24}$/],
])('a deployment with the address %s gets a name that an app can have', async (slug, name) => {
  await using on = await onHeroku();
  on.call.destination.slug = slug;
  await on.publish(1, FILES);
  expect(on.app()?.name).toMatch(name);
});

test('an app is made in the team that was chosen', async () => {
  await using on = await onHeroku();
  expect(await on.platform.listTargets(on.call)).toEqual([{ id: TEAM, name: TEAM }]);
  on.call.destination.target = TEAM;
  await on.publish(1, FILES);
  expect(on.app()?.team).toBe(TEAM);
  on.call.destination = { ...on.call.destination, target: 'other-team', site: null };
  await expect(on.publish(2, FILES)).rejects.toMatchObject({ code: 'permission_missing' });
});

test('going back to a release runs its files again, once for all that asks', async () => {
  await using on = await onHeroku();
  const one = await on.publish(1, FILES);
  const two = await on.publish(2, { ...FILES, 'index.html': 'two' });
  const url = await on.urlOf(two.ref);
  await restored(on.platform, on.call, one.ref);
  await restored(on.platform, on.call, one.ref);
  expect(on.app()?.releases.map(({ version }) => version)).toEqual([3, 4, 5]);
  expect(await textAt(on.call, url)).toBe(FILES['index.html']);
  await restored(on.platform, on.call, two.ref);
  expect(await textAt(on.call, url)).toBe('two');
});

test('going back is not asked for twice when the process was killed before it could note the answer', async () => {
  await using on = await onHeroku();
  const one = await on.publish(1, FILES);
  await on.publish(2, { ...FILES, 'index.html': 'two' });
  for await (const event of on.platform.restore?.(on.call, { ref: one.ref, actId: 'an act' }) ?? []) {
    if (event.type === 'ref') break;
  }
  await restored(on.platform, on.call, one.ref);
  expect(on.app()?.releases.map(({ version }) => version)).toEqual([3, 4, 5]);
});

test('a domain waits for its target, has certificates made for it, and tells why one was refused', async () => {
  await using on = await onHeroku();
  await on.publish(1, FILES);
  on.state.quirks.isTargetLate = true;
  const attached = await on.platform.attachDomain?.(on.call, 'example.com');
  expect(attached?.records).toMatchObject([
    { type: 'ALIAS', name: 'example.com', value: expect.stringMatching(/\.herokudns\.com$/) },
  ]);
  expect(on.app()?.acm).toBe(true);
  await on.platform.attachDomain?.(on.call, 'www.example.com');
  expect(on.standIn.requests.filter(({ path }) => path.endsWith('/acm'))).toHaveLength(1);
  const domain = on.state.domains.get('example.com');
  Object.assign(domain ?? {}, { status: 'failed', reason: 'CAA records forbid letsencrypt.org' });
  expect((await on.platform.domain?.(on.call, 'example.com'))?.certificate).toMatchObject({
    state: 'problem',
    text: 'Heroku could not get a certificate for this domain: CAA records forbid letsencrypt.org.',
  });
});

test('an account says what keeps it from publishing', async () => {
  await using on = await onHeroku();
  expect(await on.platform.verify(on.call)).toEqual({
    identity: 'Pat (pat@example.com)',
    subject: '01234567-89ab-cdef-0123-456789abcdef',
    warnings: [],
  });
  on.state.account = { verified: false, delinquent_at: '2026-06-01T00:00:00Z', suspended_at: '2026-06-02T00:00:00Z' };
  const { warnings } = await on.platform.verify(on.call);
  expect(warnings.join(' ')).toMatch(/payment card.*waiting for a payment.*suspended/);
});

test('nothing is published before a person agreed to pay there', () => {
  const refused = PLATFORM_OPTIONS.heroku.safeParse({});
  expect(refused.error?.issues[0]?.message).toMatch(/not free.*\$5 a month.*\$7/);
  expect(PLATFORM_OPTIONS.heroku.safeParse({ paymentThere: false }).success).toBe(false);
  expect(PLATFORM_OPTIONS.heroku.safeParse({ paymentThere: true, dyno: 'huge' }).success).toBe(false);
  expect(PLATFORM_OPTIONS.heroku.safeParse({ paymentThere: true, dyno: 'eco', app: 'my-app' }).success).toBe(true);
});

test('a name that is taken is another one, whichever status says so', async () => {
  await using on = await onHeroku();
  on.standIn.fail('site', {
    how: 'status',
    status: 409,
    body: { id: 'conflict', message: 'Name a-site is already taken' },
  });
  await on.publish(1, { 'index.html': 'one' });
  expect([...on.state.apps.values()].map(({ name }) => name)).toEqual(['a-site-dddddd']);
});
