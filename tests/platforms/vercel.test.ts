import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { countRequests, onPlatform, restored, textAt } from '../support/platform-harness.ts';
import { platformSuite } from '../support/platform-suite.ts';
import { deploymentRoutes } from '../support/standins/vercel/deployments.ts';
import { sha1Of, TEAM } from '../support/standins/vercel/state.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'about.html': 'about', '404.html': 'nothing here', 'app.js': 'app()' };

await platformSuite('Vercel', vercelUnderTest);

const onVercel = async () => onPlatform(await vercelUnderTest());

test('one changed file of 10,000 is sent alone, with three requests', async () => {
  await using on = await onVercel();
  const { harness, standIn, state } = on;
  const first = await on.publish(1, { 'index.html': 'one' });
  const request = await harness.release(2, { 'index.html': 'two' });
  const unchanged = Array.from({ length: 9_999 }, (_, index) => {
    const name = `${index}`;
    return { path: `page-${name}.txt`, sha256: hexOf('sha256', name), sha1: hexOf('sha1', name) };
  });
  const entries = unchanged.map(({ path, sha256 }) => [path, { sha256, sizeBytes: 1 }] as const);
  const sha1s = unchanged.map(({ sha256, sha1 }) => [sha256, sha1] as const);
  for (const { sha1 } of unchanged) state.files.set(` ${sha1}`, Buffer.from('x'));
  const before = standIn.requests.length;
  await on.send({
    ...request,
    manifest: new Map([...request.manifest, ...entries]),
    previous: { ref: first.ref, manifest: new Map(entries) },
    sha1Of: async (wanted) => {
      const known = new Map(sha1s);
      return new Map([...known, ...(await request.sha1Of(wanted.filter((sha256) => !known.has(sha256))))]);
    },
  });
  const made = standIn.requests.slice(before);
  expect(countRequests('Vercel', made, '10,000')).toBe(3);
  expect(made.filter(({ step }) => step === 'upload')).toHaveLength(1);
});

function hexOf(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}

test('files that are missing again are sent again, three times at most', async () => {
  await using on = await onVercel();
  on.state.forgets.set(sha1Of(Buffer.from('app()')), 2);
  await on.publish(1, FILES);
  expect(on.world.takeSent()).toBe(5);
  on.state.forgets.set(sha1Of(Buffer.from('more()')), 100);
  await expect(on.publish(2, { ...FILES, 'app.js': 'more()' })).rejects.toMatchObject({
    code: 'out_of_sync',
    message: expect.stringContaining('asking for files that were already sent'),
  });
  expect(on.world.takeSent()).toBe(3);
});

test('files may be missing in an answer that is no refusal', async () => {
  await using on = await onVercel();
  on.state.quirks.missingInSuccess = true;
  const { ref } = await on.publish(1, FILES);
  expect(await textAt(on.call, await on.urlOf(ref), '')).toBe(FILES['index.html']);
  on.standIn.drift.length = 0;
});

test('a platform that asks for what nobody offered is not asked again', async () => {
  await using on = await onVercel();
  on.standIn.fail('release', {
    how: 'status',
    status: 400,
    body: { error: { code: 'missing_files', message: 'Missing files', missing: ['f'.repeat(40), 'e'.repeat(40)] } },
  });
  await expect(on.publish(1, FILES)).rejects.toMatchObject({ code: 'out_of_sync' });
  expect(on.standIn.requests.filter(({ step }) => step === 'upload')).toEqual([]);
  expect(on.standIn.requests.filter(({ step }) => step === 'release')).toHaveLength(1);
});

test('what is built and did not get its addresses is a failure', async () => {
  const aliasError = 'The alias is in use.';
  for (const quirks of [{ aliasError }, { aliasError, isErrorText: true }, { failedCheck: true }]) {
    await using on = await onVercel();
    Object.assign(on.state.quirks, quirks);
    await expect(on.publish(1, FILES)).rejects.toMatchObject({
      code: 'platform_failed',
      message: expect.stringMatching(/The alias is in use|a check of the project/),
    });
    // Said by its own client alone.
    if ('isErrorText' in quirks) on.standIn.drift.length = 0;
  }
});

test('a site is open to visitors, at the address of each release too', async () => {
  await using on = await onVercel();
  const { ref } = await on.publish(1, FILES);
  const seen = await on.platform.release(on.call, ref);
  expect(seen.url).toMatch(/^http:\/\/a-site\.vercel\.localhost:\d+$/);
  expect(await textAt(on.call, seen.ownUrl, 'app.js')).toBe('app()');
  for (const project of on.state.projects.values()) expect(project.protection).toBe(null);
});

test('after a roll back there, the next release goes public all the same', async () => {
  await using on = await onVercel();
  const { ref } = await on.publish(1, FILES);
  for (const project of on.state.projects.values()) project.isRolledBack = true;
  const two = await on.publish(2, { ...FILES, 'index.html': 'two' });
  expect(await textAt(on.call, await on.urlOf(two.ref), '')).toBe('two');
  await restored(on.platform, on.call, ref);
  expect(await textAt(on.call, await on.urlOf(ref), '')).toBe(FILES['index.html']);
});

test('a release with the files of an earlier one is a deployment of its own, and public', async () => {
  await using on = await onVercel();
  const one = await on.publish(1, FILES);
  await on.publish(2, { ...FILES, 'index.html': 'two' });
  const three = await on.publish(3, FILES);
  expect(three.ref.id).not.toBe(one.ref.id);
  expect(await textAt(on.call, await on.urlOf(three.ref), '')).toBe(FILES['index.html']);
});

test('every request of a deployment names its team, and a team that the token does not open is refused', async () => {
  await using on = await onVercel();
  const { call } = on.harness;
  call.destination.target = TEAM;
  const { ref } = await on.publish(1, FILES);
  await on.platform.attachDomain?.(call, 'example.com');
  await on.platform.domain?.(call, 'example.com');
  await on.platform.readLog?.(call, ref);
  await restored(on.platform, call, ref);
  await on.platform.remove(call);
  expect(on.standIn.requests.filter(({ query }) => !query.includes(`teamId=${TEAM}`))).toEqual([]);
  expect((await on.platform.listTargets(call)).map(({ id }) => id)).toEqual([TEAM, 'team_b']);
  call.destination = { ...call.destination, target: 'team_other', site: null };
  await expect(on.publish(2, FILES)).rejects.toMatchObject({ code: 'permission_missing' });
});

test('the platform’s log is read as text, and a connection tells when its token ends', async () => {
  await using on = await onVercel();
  const { ref } = await on.publish(1, FILES);
  expect(await on.platform.readLog?.(on.call, ref)).toBe('\u001b[32mBuild\u001b[0m started\nBuild\0 completed');
  expect(await on.platform.verify(on.call)).toEqual({
    identity: 'pat (pat@example.com)',
    subject: 'user_standin',
    warnings: [],
    expiresAt: new Date('2031-05-01'),
  });
});

test('a project of the same name that is not ours is left alone, whoever made it', async () => {
  await using on = await onVercel();
  await on.world.takeName('a-site');
  await on.publish(1, FILES);
  const names = [...on.state.projects.values()].map(({ name, production }) => [name, production !== null]);
  expect(names).toEqual([
    ['a-site', false],
    ['a-site-dddddd', true],
  ]);
});

test('the records are those of the first rank, for the project itself', async () => {
  await using on = await onVercel();
  await on.publish(1, FILES);
  const values = async (name: string) =>
    (await on.platform.attachDomain?.(on.call, name))?.records.map(({ type, value }) => `${type} ${value}`);
  expect(await values('example.com')).toEqual(['A 192.0.2.79', 'A 192.0.2.1']);
  expect(await values('www.example.com')).toEqual(['CNAME 0123456789abcdef.dns-017.vercel-dns.com']);
  const asked = on.standIn.requests.filter(({ path }) => path.endsWith('/config'));
  for (const { query } of asked) expect(query).toContain('projectIdOrName=prj_');
});

test('the stand-in refuses bytes that are not what their digest says', async () => {
  const route = deploymentRoutes.find(({ path }) => path === '/v2/files');
  await using on = await onVercel();
  const sent = {
    headers: { 'x-vercel-digest': sha1Of(Buffer.from('a')), 'content-length': '1' },
    body: Buffer.from('b'),
  };
  const call = { ...sent, state: on.state, parts: [], query: new URLSearchParams(), states: [], origin: '' };
  expect((await route?.answer(call))?.status).toBe(400);
});
