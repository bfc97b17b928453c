import { expect, test } from 'vitest';
import type { Manifest } from '../../server/artifacts/manifest.ts';
import type { Platform, PlatformCall, PlatformRef } from '../../server/platforms/platform.ts';
import type { VendorStep } from '../../server/platforms/simulated/vendor/faults.ts';
import { requireWithinLimits } from '../../server/services/platform-call.ts';
import {
  type InWorld,
  inWorld,
  killedAfter,
  type PlatformBench,
  type PlatformUnderTest,
  platformBench,
  published,
} from './platform-bench.ts';
import { domainSuite } from './platform-domain-suite.ts';
import { expectDoubling, REFUSALS, TROUBLES } from './platform-trouble.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'a/b c.txt': 'text', 'a/copy.txt': 'text', 'empty.txt': '' };
const CONTENTS = 3;

async function textAt(call: PlatformCall, url: string | null, path: string): Promise<string> {
  return (await call.fetch(`${url}/${path}`)).text();
}

type Make = () => Promise<PlatformUnderTest>;
/** What decides which tests there are: one that has nothing to look at is not registered. */
type Traits = { platform: Platform; hasWorld: boolean; steps: readonly VendorStep[] };

/** What every platform must do (server/platforms/platform.ts), with every capability looked at. */
export async function platformSuite(name: string, make: Make): Promise<void> {
  const traits = await traitsOf(make);
  basics(name, make);
  limits(name, traits.platform);
  continuation(name, make);
  laterActs(name, make, traits);
  if (!traits.hasWorld) return;
  const makeInWorld = (): Promise<InWorld> => inWorld(make);
  basicsInWorld(name, makeInWorld);
  laterActsInWorld(name, makeInWorld, traits);
  failures(name, makeInWorld, traits);
  const starts = traits.steps.find((step) => step === 'finish') ?? traits.steps.find((step) => step === 'release');
  if (starts !== undefined) unknownStates(name, makeInWorld, starts);
  domainSuite(name, makeInWorld, traits.platform.capabilities.domain);
}

async function traitsOf(make: Make): Promise<Traits> {
  await using subject = await make();
  return { platform: subject.platform, hasWorld: subject.world !== null, steps: subject.world?.steps ?? [] };
}

function basics(name: string, make: Make): void {
  test(`${name}: operations are there exactly when the capabilities say so`, async () => {
    await using subject = await make();
    const { capabilities, ...platform } = subject.platform;
    expect(platform.restore !== undefined).toBe(capabilities.rollback !== 'none');
    expect(platform.cancel !== undefined).toBe(capabilities.cancel);
    expect(platform.handOff !== undefined).toBe(capabilities.publish === 'handOff');
    expect(capabilities.limits.parallelUploads).toBeGreaterThan(0);
    expect(capabilities.limits.releaseMs).toBeGreaterThan(capabilities.limits.settleMs);
    const hasDomains = capabilities.domain !== null && capabilities.domain.records !== 'fromPerson';
    expect(platform.attachDomain !== undefined).toBe(hasDomains);
    expect(platform.domain !== undefined).toBe(hasDomains);
    expect(platform.detachDomain !== undefined).toBe(hasDomains);
    const isAskedFor = hasDomains && capabilities.domain?.certificate.request === 'call';
    expect(platform.requestCertificate !== undefined).toBe(isAskedFor);
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
}

function limits(name: string, platform: Platform): void {
  const { maxFiles, maxFileBytes, maxTotalBytes } = platform.capabilities.limits;
  const sha256 = 'a'.repeat(64);
  const many = (count: number, sizeBytes: number): Manifest =>
    new Map(Array.from({ length: count }, (_, index) => [`${index}.bin`, { sha256, sizeBytes }]));
  const refused = (manifest: Manifest) => () => requireWithinLimits(platform, 'The platform', manifest);

  if (maxFileBytes !== undefined) {
    test(`${name}: a file that is too large is refused before anything is sent, by its name`, () => {
      expect(refused(new Map([['video/long.mp4', { sha256, sizeBytes: maxFileBytes + 1 }]]))).toThrow('video/long.mp4');
      expect(refused(new Map([['video/long.mp4', { sha256, sizeBytes: maxFileBytes }]]))).not.toThrow();
    });
  }
  if (maxFiles !== undefined) {
    test(`${name}: too many files are refused before anything is sent`, () => {
      expect(refused(many(maxFiles + 1, 0))).toThrow(`${maxFiles} files at most`);
      expect(refused(many(maxFiles, 0))).not.toThrow();
    });
  }
  if (maxTotalBytes !== undefined) {
    test(`${name}: too much as a whole is refused before anything is sent`, () => {
      const each = Math.min(maxFileBytes ?? maxTotalBytes, 1024 * 1024);
      expect(refused(many(Math.floor(maxTotalBytes / each) + 1, each))).toThrow('at most');
      expect(refused(many(Math.floor(maxTotalBytes / each), each))).not.toThrow();
    });
  }
  if (platform.capabilities.refusedNames !== null) {
    test(`${name}: a name that it cannot have is refused before anything is sent`, () => {
      expect(refused(new Map([['c#.html', { sha256, sizeBytes: 1 }]]))).toThrow('c#.html');
    });
  }
}

function basicsInWorld(name: string, make: () => Promise<InWorld>): void {
  test(`${name}: what was published answers at its address, a draft at its own first`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    const { ref } = await published(platform, bench.call, await bench.release(1, FILES), world);
    const seen = await platform.release(bench.call, ref);
    if (platform.capabilities.draft) {
      expect(await textAt(bench.call, seen.url, '')).not.toBe(FILES['index.html']);
      expect(await textAt(bench.call, seen.ownUrl, 'a/b%20c.txt')).toBe('text');
      await platform.restore?.(bench.call, ref);
    }
    expect(await textAt(bench.call, seen.url, '')).toBe(FILES['index.html']);
    expect(await textAt(bench.call, seen.url, 'empty.txt')).toBe('');
  });

  test(`${name}: published again with one changed file, only that one is sent`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    const isSent = platform.capabilities.publish !== 'handOff';
    expect(world.takeSent()).toBe(isSent ? CONTENTS : 0);
    await published(platform, bench.call, await bench.release(2, { ...FILES, 'a/b c.txt': 'changed' }), world);
    expect(world.takeSent()).toBe(isSent ? 1 : 0);
    expect(await world.countSites()).toBe(1);
  });
}

function continuation(name: string, make: Make): void {
  test(`${name}: published again with one changed file, it goes on to be looked at`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    const changed = { ...FILES, 'a/b c.txt': 'changed' };
    const { ref } = await published(platform, bench.call, await bench.release(2, changed), world);
    expect((await platform.release(bench.call, ref)).state).toBe('verifying');
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
      // Who asks nobody has no sites and releases but ours.
      if (world !== null) {
        expect(await world.countSites(), `sites, killed after ${count} events`).toBe(1);
        expect(await world.countReleases(), `releases, killed after ${count} events`).toBe(1);
      }
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

function laterActs(name: string, make: Make, { platform: { cancel, restore } }: Traits): void {
  if (cancel !== undefined) {
    test(`${name}: a release on its way is ended, as often as asked`, async () => {
      await using subject = await make();
      await using bench = await platformBench(subject.world);
      const ref = await startedOnly(subject, bench);
      await expect(subject.platform.cancel?.(bench.call, ref)).resolves.toBeUndefined();
      await expect(subject.platform.cancel?.(bench.call, ref)).resolves.toBeUndefined();
    });
  }

  if (restore !== undefined) {
    test(`${name}: an earlier release can be made the public one again, as often as asked`, async () => {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const one = await published(platform, bench.call, await bench.release(1, FILES), world);
      const two = await published(platform, bench.call, await bench.release(2, { 'index.html': 'two' }), world);
      if (platform.capabilities.draft) await platform.restore?.(bench.call, two.ref);
      const { url } = await platform.release(bench.call, two.ref);
      if (world !== null) expect(await textAt(bench.call, url, '')).toBe('two');
      await platform.restore?.(bench.call, one.ref);
      await platform.restore?.(bench.call, one.ref);
      if (world !== null) expect(await textAt(bench.call, url, '')).toBe(FILES['index.html']);
      expect((await platform.release(bench.call, one.ref)).state).toBe('verifying');
    });
  }

  test(`${name}: taking the deployment away may be done twice, and what was never there too`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await platform.remove(bench.call);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    await expect(platform.remove(bench.call)).resolves.toBeUndefined();
    await expect(platform.remove(bench.call)).resolves.toBeUndefined();
  });
}

/** Publishes until there is a release, and leaves it on its way. */
async function startedOnly({ platform }: PlatformUnderTest, bench: PlatformBench): Promise<PlatformRef> {
  const request = await bench.release(1, FILES);
  while (request.ref === null) await killedAfter(platform, bench.call, request, bench.call.site === null ? 2 : 1);
  return request.ref;
}

function laterActsInWorld(name: string, make: () => Promise<InWorld>, { platform: { capabilities } }: Traits): void {
  // What a person does there by hand is theirs to end and to take away.
  if (capabilities.publish === 'handOff') return;
  if (capabilities.cancel) {
    test(`${name}: what was cancelled says so, and what is ready is no longer on its way`, async () => {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const ref = await startedOnly(subject, bench);
      await platform.cancel?.(bench.call, ref);
      expect((await platform.release(bench.call, ref)).state).toBe('cancelled');
      const done = await published(platform, bench.call, await bench.release(2, FILES), world);
      await platform.cancel?.(bench.call, done.ref);
      expect((await platform.release(bench.call, done.ref)).state).toBe('verifying');
    });
  }

  test(`${name}: what was taken away is gone there, and is made anew under a reference of its own`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using bench = await platformBench(world);
    await published(platform, bench.call, await bench.release(1, FILES), world);
    const gone = bench.call.site;
    expect(gone).not.toBe(null);
    await platform.remove(bench.call);
    expect(await world.countSites()).toBe(0);
    await published(platform, bench.call, await bench.release(2, FILES), world);
    expect(bench.call.site).not.toEqual(gone);
    expect(await world.countSites()).toBe(1);
  });
}

function failures(name: string, make: () => Promise<InWorld>, { steps }: Traits): void {
  test(`${name}: trouble that passes is waited for by the table, in every step, and leaves one site and one release`, async () => {
    for (const step of steps) {
      for (const trouble of TROUBLES) {
        await using subject = await make();
        const { platform, world } = subject;
        await using bench = await platformBench(world);
        world.fail(step, trouble, 3);
        const { ref } = await published(platform, bench.call, await bench.release(1, FILES), world);
        const where = `${trouble.how} in ${step}`;
        expect((await platform.release(bench.call, ref)).state, where).toBe('verifying');
        expect(await world.countSites(), where).toBe(1);
        expect(await world.countReleases(), where).toBe(1);
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
      world.fail(step, { how: 'late' });
      await published(platform, bench.call, await bench.release(1, FILES), world);
      expect(await world.countSites(), step).toBe(1);
      expect(await world.countReleases(), step).toBe(1);
    };
    // Each waits for its answer in real time: all of them at once.
    await Promise.all(steps.map(publishLate));
  });

  test(`${name}: a pause that is asked for is kept when short, and handed to the queue when long`, async () => {
    for (const step of steps) {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const request = await bench.release(1, FILES);
      world.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '7' } });
      world.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '3600' } });
      await expect(published(platform, bench.call, request, world), step).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterMs: 3_600_000,
      });
      expect(Math.max(...bench.waits), step).toBe(7_000);
      await published(platform, bench.call, request, world);
      expect(await world.countSites(), step).toBe(1);
    }
  });

  test(`${name}: trouble that lasts is given back after five tries, naming the platform and the remedy`, async () => {
    for (const step of steps) {
      await using subject = await make();
      const { platform, world } = subject;
      await using bench = await platformBench(world);
      const request = await bench.release(1, FILES);
      // In parallel each upload has five tries of its own.
      world.fail(step, { how: 'status', status: 503 }, 5 * platform.capabilities.limits.parallelUploads);
      const error = await published(platform, bench.call, request, world).catch((thrown: unknown) => thrown);
      expect(error, step).toMatchObject({ code: 'platform_down', hint: expect.stringContaining('tried again') });
      expect(String(error)).toMatch(/platform does not answer/);
    }
  });

  test(`${name}: a refusal is sorted once, tried once, and shows no secret and no markup`, async () => {
    for (const step of steps) {
      for (const { status, code } of REFUSALS) {
        await using subject = await make();
        const { platform, world } = subject;
        await using bench = await platformBench(world);
        const body = { message: '<b>No</b> for a-secret-token' };
        world.fail(step, { how: 'status', status, body }, 100);
        const request = await bench.release(1, FILES);
        const error = await published(platform, bench.call, request, world).catch((thrown: unknown) => thrown);
        expect(error, `${status} in ${step}`).toMatchObject({ code });
        expect(String(error)).not.toMatch(/a-secret-token|<b>/);
        expect(bench.waits, `${status} in ${step}`).toEqual([]);
      }
    }
  });
}

function unknownStates(name: string, make: () => Promise<InWorld>, starts: VendorStep): void {
  test(`${name}: a state that nobody knows means to wait, and one that says so means the end`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
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
