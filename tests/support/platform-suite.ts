import { expect, test } from 'vitest';
import type { Manifest } from '../../server/artifacts/manifest.ts';
import type { PlatformCall, PlatformRef } from '../../server/platforms/platform.ts';
import type { Fault, VendorStep } from '../../server/platforms/simulated/vendor/faults.ts';
import { requireWithinLimits } from '../../server/services/platform-call.ts';
import { killedAfter, type PlatformUnderTest, platformBench, published } from './platform-bench.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'a/b c.txt': 'text', 'a/copy.txt': 'text', 'empty.txt': '' };
const CONTENTS = 3;

async function textAt(call: PlatformCall, url: string | null, path: string): Promise<string> {
  return (await call.fetch(`${url}/${path}`)).text();
}

/** What every platform must do (server/platforms/platform.ts), with every capability looked at. */
export function platformSuite(name: string, make: () => Promise<PlatformUnderTest>): void {
  basics(name, make);
  continuation(name, make);
  laterActs(name, make);
  failures(name, make);
}

type Make = () => Promise<PlatformUnderTest>;

function basics(name: string, make: Make): void {
  test(`${name}: operations are there exactly when the capabilities say so`, async () => {
    await using subject = await make();
    const { capabilities, ...platform } = subject.platform;
    expect(platform.restore !== undefined).toBe(capabilities.rollback !== 'none');
    expect(platform.cancel !== undefined).toBe(capabilities.cancel);
    expect(platform.handOff !== undefined).toBe(capabilities.publish === 'handOff');
    expect(capabilities.limits.parallelUploads).toBeGreaterThan(0);
    expect(capabilities.limits.releaseMs).toBeGreaterThan(capabilities.limits.settleMs);
    // Who publishes without going public needs a way to go public.
    if (capabilities.draft) expect(platform.restore).toBeDefined();
  });

  test(`${name}: a connection says who it is, and what can be published under`, async () => {
    await using subject = await make();
    await using bench = await platformBench(subject.world);
    expect((await subject.platform.verify(bench.call)).identity).not.toBe('');
    for (const target of await subject.platform.listTargets(bench.call)) expect(target.id).not.toBe('');
  });

  test(`${name}: a release is named first, then sent, then processed, then ready where it says`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    const { events, ref } = await published(platform, bench.call, await bench.release(1, FILES), world);
    const kinds = events.map((event) => event.type);
    expect(kinds.filter((kind) => kind !== 'site')[0]).toBe('ref');
    expect(kinds.lastIndexOf('uploading')).toBeLessThan(kinds.indexOf('processing'));
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    const seen = await platform.release(bench.call, ref);
    expect(seen.state).toBe('verifying');
    expect(seen.ownUrl !== null).toBe(world !== null && platform.capabilities.immutableUrl);
    if (world === null) return;
    if (platform.capabilities.draft) {
      expect(await textAt(bench.call, seen.url, '')).not.toBe(FILES['index.html']);
      expect(await textAt(bench.call, seen.ownUrl, 'a/b%20c.txt')).toBe('text');
      await platform.restore?.(bench.call, ref);
    }
    expect(await textAt(bench.call, seen.url, '')).toBe(FILES['index.html']);
    expect(await textAt(bench.call, seen.url, 'empty.txt')).toBe('');
  });

  test(`${name}: progress never goes back and ends complete, each content counted once`, async () => {
    await using subject = await make();
    await using bench = await platformBench(subject.world);
    const request = await bench.release(1, FILES);
    const { events } = await published(subject.platform, bench.call, request, subject.world);
    const progress = events.filter((event) => event.type === 'uploading');
    expect(progress.at(-1)).toMatchObject({ done: CONTENTS, total: CONTENTS, doneBytes: 16, totalBytes: 16 });
    for (const [index, event] of progress.entries()) {
      expect(event.done).toBeGreaterThanOrEqual(progress[index - 1]?.done ?? 0);
      expect(event.doneBytes).toBeGreaterThanOrEqual(progress[index - 1]?.doneBytes ?? 0);
      expect(event).toMatchObject({ total: CONTENTS, totalBytes: 16 });
    }
  });

  test(`${name}: what is too much is refused before anything is sent, by the name of the file`, async () => {
    await using subject = await make();
    const { platform } = subject;
    const { maxFiles, maxFileBytes, maxTotalBytes } = platform.capabilities.limits;
    const sha256 = 'a'.repeat(64);
    const many = (count: number, sizeBytes: number): Manifest =>
      new Map(Array.from({ length: count }, (_, index) => [`${index}.bin`, { sha256, sizeBytes }]));
    const refused = (manifest: Manifest) => () => requireWithinLimits(platform, 'The platform', manifest);
    if (maxFileBytes !== undefined) {
      expect(refused(new Map([['video/long.mp4', { sha256, sizeBytes: maxFileBytes + 1 }]]))).toThrow('video/long.mp4');
      expect(refused(new Map([['video/long.mp4', { sha256, sizeBytes: maxFileBytes }]]))).not.toThrow();
    }
    if (maxFiles !== undefined) {
      expect(refused(many(maxFiles + 1, 0))).toThrow(`${maxFiles} files at most`);
      expect(refused(many(maxFiles, 0))).not.toThrow();
    }
    if (maxTotalBytes !== undefined) {
      const each = Math.min(maxFileBytes ?? maxTotalBytes, 1024 * 1024);
      expect(refused(many(Math.floor(maxTotalBytes / each) + 1, each))).toThrow('at most');
      expect(refused(many(Math.floor(maxTotalBytes / each), each))).not.toThrow();
    }
    if (platform.capabilities.refusedNames !== null) {
      const named = new Map([['c#.html', { sha256, sizeBytes: 1 }]]);
      expect(refused(named)).toThrow('c#.html');
    }
  });
}

function continuation(name: string, make: Make): void {
  test(`${name}: published again with one changed file, only that one is sent, to the same site`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    const sentFirst = world?.takeSent();
    const changed = { ...FILES, 'a/b c.txt': 'changed' };
    const { ref } = await published(platform, bench.call, await bench.release(2, changed), world);
    expect((await platform.release(bench.call, ref)).state).toBe('verifying');
    if (world === null) return;
    const isSent = platform.capabilities.publish !== 'handOff';
    expect(sentFirst).toBe(isSent ? CONTENTS : 0);
    expect(world.takeSent()).toBe(isSent ? 1 : 0);
    expect(await world.countSites()).toBe(1);
  });

  test(`${name}: killed after each event, a second run ends with one site and one release`, async () => {
    const told = await countEvents(make);
    for (let count = 1; count <= told; count += 1) {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const request = await bench.release(1, FILES);
      await killedAfter(platform, bench.call, request, count);
      const { ref } = await published(platform, bench.call, request, world);
      const again = await published(platform, bench.call, { ...request, ref }, world);
      expect(again.ref, `killed after ${count} events`).toEqual(ref);
      expect((await platform.release(bench.call, ref)).state).toBe('verifying');
      if (world === null) continue;
      expect(await world.countSites(), `sites, killed after ${count} events`).toBe(1);
      expect(await world.countReleases(), `releases, killed after ${count} events`).toBe(1);
    }
  });

  test(`${name}: an aborted call stops with the reason of its signal`, async () => {
    await using subject = await make();
    await using bench = await platformBench(subject.world);
    const request = await bench.release(1, FILES);
    bench.abort.abort(new Error('the lease is gone'));
    await expect(published(subject.platform, bench.call, request)).rejects.toThrow('the lease is gone');
  });

  test(`${name}: aborted after any event, it goes no further`, async () => {
    const told = await countEvents(make);
    for (let count = 1; count < told; count += 1) {
      await using subject = await make();
      await using bench = await platformBench(subject.world);
      const run = subject.platform.publish(bench.call, await bench.release(1, FILES));
      for (let seen = 0; seen < count; seen += 1) await run.next();
      bench.abort.abort(new Error('stop'));
      const rest = async (): Promise<void> => {
        while (!(await run.next()).done);
      };
      await expect(rest(), `aborted after ${count} events`).rejects.toThrow('stop');
    }
  });

  test(`${name}: a file that the store has lost stops the release`, async () => {
    await using subject = await make();
    await using bench = await platformBench(subject.world);
    const request = await bench.release(1, FILES);
    await bench.store.remove(request.manifest.get('a/b c.txt')?.sha256 ?? '');
    await expect(published(subject.platform, bench.call, request)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });
}

async function countEvents(make: Make): Promise<number> {
  await using subject = await make();
  await using bench = await platformBench(subject.world);
  return (await published(subject.platform, bench.call, await bench.release(1, FILES), subject.world)).events.length;
}

function laterActs(name: string, make: Make): void {
  test(`${name}: a release on its way is ended, as often as asked`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    if (platform.cancel === undefined) return;
    await using bench = await platformBench(world);
    const request = await bench.release(1, FILES);
    while (request.ref === null) await killedAfter(platform, bench.call, request, bench.call.site === null ? 2 : 1);
    const ref: PlatformRef = request.ref;
    await platform.cancel(bench.call, ref);
    await platform.cancel(bench.call, ref);
    if (world === null || platform.capabilities.publish === 'handOff') return;
    expect((await platform.release(bench.call, ref)).state).toBe('cancelled');
    const done = await published(platform, bench.call, await bench.release(2, FILES), world);
    // What is ready is no longer on its way.
    await platform.cancel(bench.call, done.ref);
    expect((await platform.release(bench.call, done.ref)).state).toBe('verifying');
  });

  test(`${name}: an earlier release can be made the public one again, as often as asked`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    if (platform.restore === undefined) return;
    await using bench = await platformBench(world);
    const one = await published(platform, bench.call, await bench.release(1, FILES), world);
    const two = await published(platform, bench.call, await bench.release(2, { 'index.html': '<h1>two</h1>' }), world);
    if (platform.capabilities.draft) await platform.restore(bench.call, two.ref);
    const { url } = await platform.release(bench.call, two.ref);
    if (world !== null) expect(await textAt(bench.call, url, '')).toBe('<h1>two</h1>');
    await platform.restore(bench.call, one.ref);
    await platform.restore(bench.call, one.ref);
    if (world !== null) expect(await textAt(bench.call, url, '')).toBe('<h1>one</h1>');
  });

  test(`${name}: taking the deployment away may be done twice, and what was never there too`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await platform.remove(bench.call);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    const isOurs = bench.call.site !== null;
    await platform.remove(bench.call);
    await platform.remove(bench.call);
    if (world === null || !isOurs) return;
    expect(await world.countSites()).toBe(0);
    // Somebody took it away there: it is made anew, under a reference of its own.
    const gone = bench.call.site;
    await published(platform, bench.call, await bench.release(2, FILES), world);
    expect(bench.call.site).not.toEqual(gone);
    expect(await world.countSites()).toBe(1);
  });
}

/** What an answer means, and whether it may pass: platform facts, 8.5. */
const REFUSALS = [
  { status: 401, code: 'credentials_invalid' },
  { status: 402, code: 'payment_required' },
  { status: 403, code: 'permission_missing' },
  { status: 413, code: 'content_refused' },
  { status: 400, code: 'platform_failed' },
] as const;

function failures(name: string, make: Make): void {
  test(`${name}: trouble that passes is waited for by the table, in every step, and leaves one site and one release`, async () => {
    const troubles: Fault[] = [
      { how: 'status', status: 500 },
      { how: 'reset' },
      { how: 'halfBody' },
      { how: 'garbage' },
    ];
    for (const step of await stepsOf(make)) {
      for (const trouble of troubles) {
        await using subject = await make();
        const { platform, world } = subject;
        await using bench = await platformBench(world);
        world?.fail(step, trouble, 3);
        const { ref } = await published(platform, bench.call, await bench.release(1, FILES), world);
        const where = `${trouble.how} in ${step}`;
        expect((await platform.release(bench.call, ref)).state, where).toBe('verifying');
        expect(await world?.countSites(), where).toBe(1);
        expect(await world?.countReleases(), where).toBe(1);
        // What broke off after it was done is found by the next look: there is less to wait for.
        // Beside one another, uploads share the three.
        const isAlone = step !== 'upload' || platform.capabilities.limits.parallelUploads === 1;
        if (trouble.how === 'status' && isAlone) expectDoubling(bench.waits, where);
      }
    }
  });

  test(`${name}: an answer that comes after we gave up leaves one site and one release`, async () => {
    const publishLate = async (step: VendorStep): Promise<void> => {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      world?.fail(step, { how: 'late' });
      await published(platform, bench.call, await bench.release(1, FILES), world);
      expect(await world?.countSites(), step).toBe(1);
      expect(await world?.countReleases(), step).toBe(1);
    };
    // Each waits for its answer in real time: all of them at once.
    await Promise.all((await stepsOf(make)).map(publishLate));
  });

  test(`${name}: a pause that is asked for is kept when short, and handed to the queue when long`, async () => {
    for (const step of await stepsOf(make)) {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const request = await bench.release(1, FILES);
      world?.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '7' } });
      world?.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '3600' } });
      await expect(published(platform, bench.call, request, world), step).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterMs: 3_600_000,
      });
      expect(Math.max(...bench.waits), step).toBe(7_000);
      await published(platform, bench.call, request, world);
      expect(await world?.countSites(), step).toBe(1);
    }
  });

  test(`${name}: trouble that lasts is given back after five tries, naming the platform and the remedy`, async () => {
    for (const step of await stepsOf(make)) {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const request = await bench.release(1, FILES);
      // In parallel each upload has five tries of its own.
      world?.fail(step, { how: 'status', status: 503 }, 5 * platform.capabilities.limits.parallelUploads);
      const error = await published(platform, bench.call, request, world).catch((thrown: unknown) => thrown);
      expect(error, step).toMatchObject({ code: 'platform_down', hint: expect.stringContaining('tried again') });
      expect(String(error)).toMatch(/platform does not answer/);
    }
  });

  test(`${name}: a refusal is sorted once, tried once, and shows no secret and no markup`, async () => {
    for (const step of await stepsOf(make)) {
      for (const { status, code } of REFUSALS) {
        await using subject = await make();
        const { platform, world } = subject;
        await using bench = await platformBench(world);
        const body = { message: '<b>No</b> for a-secret-token' };
        world?.fail(step, { how: 'status', status, body }, 100);
        const request = await bench.release(1, FILES);
        const error = await published(platform, bench.call, request, world).catch((thrown: unknown) => thrown);
        expect(error, `${status} in ${step}`).toMatchObject({ code });
        expect(String(error)).not.toMatch(/a-secret-token|<b>/);
        expect(bench.waits, `${status} in ${step}`).toEqual([]);
      }
    }
  });

  test(`${name}: a state that nobody knows means to wait, and one that says so means the end`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    const starts = world?.steps.find((step) => step === 'finish') ?? world?.steps.find((step) => step === 'release');
    if (world === null || starts === undefined) return;
    await using bench = await platformBench(world);
    world.fail(starts, { how: 'states', states: ['pondering', 'quarantined', 'building'] });
    const { events, ref } = await published(platform, bench.call, await bench.release(1, FILES), world);
    const told = events.flatMap((event) => (event.type === 'processing' ? [event.text] : []));
    expect(told.join()).toContain('pondering');
    expect((await platform.release(bench.call, ref)).state).toBe('verifying');

    world.fail(starts, { how: 'states', states: Array.from({ length: 40 }, (_, look) => `slow ${look}`) });
    const slow = await published(platform, bench.call, await bench.release(2, { ...FILES, b: 'b' }), world);
    expect(slow.events.some((event) => event.type === 'waiting')).toBe(true);

    world.fail(starts, { how: 'states', states: ['building', 'error', 'error'] });
    const failed = published(platform, bench.call, await bench.release(3, { ...FILES, c: 'c' }), world);
    await expect(failed).rejects.toMatchObject({ code: 'platform_failed' });
  });
}

async function stepsOf(make: Make): Promise<readonly VendorStep[]> {
  await using subject = await make();
  return subject.world?.steps ?? [];
}

/** At least 1, 2 and 4 s were waited, with a spread of a fifth (platform facts, 8.6). */
function expectDoubling(waits: readonly number[], where: string): void {
  for (const ms of [1_000, 2_000, 4_000]) {
    expect(
      waits.some((waited) => waited >= ms && waited < ms * 1.2),
      `a wait of ${ms} ms for ${where}`,
    ).toBe(true);
  }
}
