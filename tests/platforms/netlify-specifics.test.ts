import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { netlify } from '../../server/publishing/platforms/netlify/index.ts';
import type { PlatformRef, PublishRequest } from '../../server/publishing/platforms/platform.ts';
import {
  countRequests,
  onPlatform,
  type PlatformHarness,
  platformHarness,
  published,
  restored,
  textAt,
} from '../support/platform-harness.ts';
import { type NetlifyReading, newSite } from '../support/standins/netlify/state.ts';
import { type NetlifyUnderTest, netlifyUnderTest } from '../support/standins/netlify/world.ts';

/** The API's minimum is three (POST deploy, PUT file, GET deploy); going public after a look is one more. */
const REQUESTS_MAX = 4;

async function onNetlify(reading: Partial<NetlifyReading> = {}) {
  const on = await onPlatform(await netlifyUnderTest(reading));
  const { call, platform } = on;
  return {
    ...on,
    site: () => [...on.state.sites.values()][0],
    /** Published and public, as a release is. */
    goPublic: (request: PublishRequest) => goPublic(on, on.harness, request),
    attach: (name: string) => platform.attachDomain?.(call, name),
    read: async (name: string) => platform.domain?.(call, name),
    detach: (name: string) => platform.detachDomain?.(call, name),
    request: (name: string) => platform.requestCertificate?.(call, name),
  };
}

async function goPublic(
  { platform }: Pick<NetlifyUnderTest, 'platform'>,
  { call }: PlatformHarness,
  request: PublishRequest,
): Promise<PlatformRef> {
  const { ref } = await published(platform, call, request);
  await restored(platform, call, ref);
  return ref;
}

/** So many files, of which Netlify has all but those of `files`. */
async function manyFiles(
  on: Awaited<ReturnType<typeof onNetlify>>,
  number: number,
  count: number,
  files: Record<string, string>,
): Promise<PublishRequest> {
  const request = await on.harness.release(number, files);
  const manifest = new Map(request.manifest);
  const sha1s = new Map<string, string>();
  for (let index = manifest.size; index < count; index += 1) {
    const sha256 = createHash('sha256').update(`file ${index}`).digest('hex');
    const bytes = Buffer.from(`file ${index}`);
    sha1s.set(sha256, createHash('sha1').update(bytes).digest('hex'));
    on.state.blobs.set(sha1s.get(sha256) ?? '', bytes);
    manifest.set(`pages/${index}.html`, { sha256, sizeBytes: bytes.length });
  }
  const sha1Of = async (sha256s: readonly string[]) => {
    const stored = await request.sha1Of(sha256s.filter((sha256) => !sha1s.has(sha256)));
    return new Map([...sha1s, ...stored]);
  };
  return { ...request, manifest, sha1Of };
}

test('one changed file of 10,000 takes no more requests than the API needs, and sends that file', async () => {
  await using on = await onNetlify();
  await on.goPublic(await manyFiles(on, 1, 10_000, { 'index.html': 'one' }));
  const before = on.standIn.requests.length;
  const ref = await on.goPublic(await manyFiles(on, 2, 10_000, { 'index.html': 'two' }));
  const { url } = await on.platform.release(on.call, ref);
  const asked = on.standIn.requests.slice(before);
  expect(asked.filter(({ step }) => step === 'upload')).toHaveLength(1);
  expect(countRequests('Netlify', asked, '10,000')).toBeLessThanOrEqual(REQUESTS_MAX);
  expect(await textAt(on.call, url)).toBe('two');
});

test('a large manifest is compared in the background, and nothing is sent before it is', async () => {
  await using on = await onNetlify();
  const { events } = await on.send(await manyFiles(on, 1, 501, { 'index.html': 'large' }));
  const kinds = events.map(({ type }) => type);
  expect(kinds.lastIndexOf('uploading')).toBeLessThan(kinds.indexOf('processing'));
  expect(on.standIn.requests.filter(({ step }) => step === 'upload')).toHaveLength(1);
});

test('a single-page site shows its entry for what does not exist, after its own rules', async () => {
  await using on = await onNetlify();
  on.call.destination.isSinglePage = true;
  const files = { 'index.html': 'entry', 'about.html': 'about', _redirects: '/old /about 200' };
  const { url } = await on.platform.release(on.call, await on.goPublic(await on.harness.release(1, files)));
  expect(await textAt(on.call, url, 'no/such/page')).toBe('entry');
  expect(await textAt(on.call, url, 'old')).toBe('about');
  expect(await textAt(on.call, url, 'about')).toBe('about');
});

test('a token that is refused at random in an upload is tried again, and is not reported', async () => {
  await using on = await onNetlify();
  on.standIn.fail('upload', { how: 'status', status: 401, body: { message: 'Access Denied' } }, 2);
  const ref = await on.goPublic(await on.harness.release(1, { 'index.html': 'one', 'b.txt': 'b' }));
  expect((await on.platform.release(on.call, ref)).state).toBe('verifying');
  expect(on.harness.refused).toEqual([]);
});

test('a token that is revoked in an upload ends the release and is reported', async () => {
  await using on = await onNetlify();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const run = on.platform.publish(on.call, request);
  let next = await run.next();
  while (!next.done && next.value.type !== 'uploading') next = await run.next();
  on.standIn.revoke();
  await expect(run.next()).rejects.toMatchObject({ code: 'credentials_invalid' });
  expect(new Set(on.harness.refused)).toEqual(new Set(['netlify']));
});

test('an upload to a deploy that another run has finished goes on to its end', async () => {
  await using on = await onNetlify();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const run = on.platform.publish(on.call, request);
  let next = await run.next();
  while (!next.done && next.value.type !== 'uploading') next = await run.next();
  on.state.blobs.set(createHash('sha1').update('one').digest('hex'), Buffer.from('one'));
  while (!next.done) next = await run.next();
  expect((await on.platform.release(on.call, next.value)).state).toBe('verifying');
});

test('files that are asked for and were never offered end the release', async () => {
  await using on = await onNetlify();
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const run = on.platform.publish(on.call, request);
  let next = await run.next();
  while (!next.done && next.value.type !== 'ref') {
    if (next.value.type === 'site') on.call.destination.site = next.value.site;
    next = await run.next();
  }
  const [deploy] = on.state.deploys.values();
  if (deploy !== undefined) deploy.files = { ...deploy.files, 'passwords.txt': 'f'.repeat(40) };
  const again = on.platform.publish(on.call, { ...request, ref: next.done ? null : refOf(next.value) });
  await expect(again.next()).rejects.toMatchObject({
    message: expect.stringContaining('files that are not part of this release'),
    hint: expect.stringContaining('Something else publishes to this site'),
  });
});

function refOf(event: { type: string; ref?: PlatformRef }): PlatformRef | null {
  return event.ref ?? null;
}

test('an empty site of the same account that has the name is neither taken over nor deleted', async () => {
  await using on = await onNetlify();
  const theirs = newSite('a-site', 'a-team');
  on.state.sites.set(theirs.id, theirs);
  await on.goPublic(await on.harness.release(1, { 'index.html': 'ours' }));
  expect([...on.state.sites.values()].map(({ name }) => name)).toEqual(['a-site', 'a-site-dddddd']);
  await on.platform.remove(on.call);
  expect([...on.state.sites.keys()]).toEqual([theirs.id]);
});

test('a site of the same account that somebody published to is left alone', async () => {
  await using on = await onNetlify();
  await using other = await platformHarness();
  await on.goPublic(await on.harness.release(1, { 'index.html': 'theirs' }));
  other.call.destination.id = 'e'.repeat(20);
  const ref = await goPublic(on, other, await other.release(1, { 'index.html': 'ours' }));
  const seen = await on.platform.release(other.call, ref);
  expect(seen.url).toContain('a-site-eeeeee');
  expect(await textAt(on.call, `http://a-site.netlify.localhost:${on.standIn.port}`)).toBe('theirs');
});

test('a site whose publishing is locked says so instead of going public', async () => {
  await using on = await onNetlify();
  await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  const { ref } = await on.send(await on.harness.release(2, { 'index.html': 'two' }));
  const site = on.site();
  if (site !== undefined) site.isLocked = true;
  await expect(restored(on.platform, on.call, ref)).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('publishing is locked there'),
    hint: 'Unlock publishing at Netlify, under Deploys, then try again.',
  });
});

test('the team that was chosen gets the site', async () => {
  await using on = await onNetlify();
  on.call.destination.target = 'other-team';
  await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  expect(on.site()?.accountSlug).toBe('other-team');
  expect(await on.platform.listTargets(on.call)).toContainEqual({ id: 'other-team', name: 'other-team' });
});

test('aliases that somebody added there stay when a domain comes and goes', async () => {
  await using on = await onNetlify();
  await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  const site = on.site();
  if (site !== undefined) Object.assign(site, { customDomain: 'theirs.example.com', aliases: ['more.example.com'] });
  await on.attach('shop.example.com');
  expect(on.site()).toMatchObject({ aliases: ['more.example.com', 'shop.example.com'] });
  await on.detach('shop.example.com');
  await on.detach('theirs.example.com');
  expect(on.site()).toMatchObject({ customDomain: 'more.example.com', aliases: [] });
});

test('a certificate that is there is made anew for a name that came later', async () => {
  await using on = await onNetlify();
  await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  for (const name of ['one.example.com', 'two.example.com']) {
    const attached = await on.attach(name);
    on.state.zone.push(...(attached?.records ?? []));
    expect((await on.read(name))?.certificate.code).toBe('certificate_missing');
    await on.request(name);
    await on.read(name);
    expect((await on.read(name))?.certificate).toMatchObject({ code: 'certificate_issued' });
  }
  expect(on.standIn.requests.filter(({ path }) => path.endsWith('/ssl/renew'))).toHaveLength(1);
});

test('a certificate that Netlify refuses for its records can be ordered later', async () => {
  await using on = await onNetlify();
  await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  await on.attach('early.example.com');
  await expect(on.request('early.example.com')).resolves.toBeUndefined();
  expect((await on.read('early.example.com'))?.certificate.code).toBe('certificate_missing');
});

const READINGS: readonly Partial<NetlifyReading>[] = [
  { domainsLeaveBy: 'null' },
  { listsCounterparts: true },
  { missingCertificateIs404: false },
  { cancelledIsError: false },
  { restoreTellsTime: false },
];

test.each(READINGS)('where the description leaves it open, both is taken: %o', async (reading) => {
  await using on = await onNetlify(reading);
  const request = await on.harness.release(1, { 'index.html': 'one' });
  const ref = await on.goPublic(request);
  expect(await textAt(on.call, (await on.platform.release(on.call, ref)).url)).toBe('one');
  const { counterparts = [] } = (await on.attach('example.com')) ?? {};
  expect(counterparts).toEqual(['www.example.com']);
  expect((await on.read('example.com'))?.certificate.code).toBe('certificate_missing');
  await on.detach('example.com');
  expect(on.site()).toMatchObject({ customDomain: null, aliases: [] });

  const run = on.platform.publish(on.call, await on.harness.release(2, { 'index.html': 'two' }));
  let next = await run.next();
  while (!next.done && next.value.type !== 'ref') next = await run.next();
  const cancelled = next.done ? null : refOf(next.value);
  await run.return({});
  await on.platform.cancel?.(on.call, cancelled ?? {});
  expect((await on.platform.release(on.call, cancelled ?? {})).state).toBe('cancelled');
  // Taken there, and not in the description.
  if (reading.domainsLeaveBy === 'null') on.standIn.drift.length = 0;
});

test('null is taken for what has no value', async () => {
  await using on = await onNetlify();
  const nulls = { id: 'site-1', name: 'a-site', custom_domain: null, domain_aliases: null, published_deploy: null };
  on.standIn.fail('look', { how: 'status', status: 200, body: [nulls] });
  on.standIn.fail('release', {
    how: 'status',
    status: 200,
    body: { id: 'deploy-1', state: 'error', required: null, error_message: null, published_at: null },
  });
  on.standIn.fail('state', { how: 'status', status: 200, body: { id: 'deploy-1', state: 'error', required: null } });
  await expect(on.send(await on.harness.release(1, { 'index.html': 'one' }))).rejects.toThrow(
    'Netlify could not complete the request: error.',
  );
});

test('an address without a scheme takes that of the API', async () => {
  await using on = await onNetlify();
  const ref = await on.goPublic(await on.harness.release(1, { 'index.html': 'one' }));
  const body = { id: ref.deployId, state: 'ready', ssl_url: '127.0.0.1:8080', deploy_ssl_url: 'a.netlify.app' };
  on.standIn.fail('state', { how: 'status', status: 200, body }, 2);
  expect(await on.platform.release(on.call, ref)).toMatchObject({ url: 'http://127.0.0.1:8080' });
  const secure = netlify({ apiUrl: on.standIn.apiUrl });
  expect(await secure.release(on.call, ref)).toMatchObject({ ownUrl: 'http://a.netlify.app' });
});
