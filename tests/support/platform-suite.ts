import { expect, test } from 'vitest';
import { isServedPath } from '../../routers/rules/uploads/served-path.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { Platform, PlatformRef, PublishRequest } from '../../server/publishing/platforms/platform.ts';
import { requireWithinLimits } from '../../server/publishing/publication/publish.ts';
import type { Manifest } from '../../server/store/manifest.ts';
import { oddSite } from './odd-names.ts';
import { domainFaultsSuite, domainSuite } from './platform-domain-suite.ts';
import { faultsSuite } from './platform-faults-suite.ts';
import {
  type DomainWorld,
  type InWorld,
  inWorld,
  killedAfter,
  type PlatformHarness,
  type PlatformUnderTest,
  platformHarness,
  published,
  restored,
  textAt,
} from './platform-harness.ts';
import { IS_FULL } from './size.ts';
import type { Step } from './standins/faults.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'a/b c.txt': 'text', 'a/copy.txt': 'text', 'empty.txt': '' };
const CONTENTS = 3;
/** Two files share a content, and both are counted, with the bytes of both. */
const FILES_SENT = 4;
const BYTES_SENT = 20;
const OWN_ADDRESS = /preview address|address for each release/;

/** Lists the needs of each bullet (routers/schemas/platforms/list.ts) in an adapter; no one operation keeps the last ones. */
const PROMISES: readonly [RegExp, (subject: PlatformUnderTest, bullet: string) => boolean][] = [
  [/^Roll back to /, ({ platform }) => platform.restore !== undefined && platform.capabilities.rollBack !== null],
  [/^Roll back in /, ({ platform }, bullet) => bullet === `Roll back in ${platform.capabilities.rollBack?.takes}`],
  [/^Only changed files are sent$/, ({ world }) => world !== null && world.sendsArchive !== true],
  [/static server is added/, ({ world }) => world?.sendsArchive === true],
  [/TLS|[Cc]ertificate/, ({ platform }) => (platform.capabilities.domain?.certificate.issuers.length ?? 0) > 0],
  [/^Each step of a deploy/, ({ platform }) => platform.readLog !== undefined],
  [/^Archive ready|^Each step explained/, ({ platform }) => platform.handOff !== undefined],
  // Asked for where something was published, and for the built-in host in tests/host/previews.test.ts.
  [OWN_ADDRESS, () => true],
  [/^Live in seconds$|^No cost |^Every release is a commit |^Global cache |^Your address is checked /, () => true],
];

type Make = () => Promise<PlatformUnderTest>;
/** Decides which tests are registered. */
type Traits = {
  platform: Platform;
  hasWorld: boolean;
  steps: readonly Step[];
  makes: readonly Step[];
  domains: DomainWorld | null;
};

/** One adapter for each way of publishing is tested with all faults: all use the same client, retries and refusals. */
const HELD_TO_FAULTS = ['Netlify', 'GitHub Pages', 'Replit'];

/**
 * Tests the rules for every platform (server/publishing/platforms/platform.ts), with every capability considered. Faults take
 * turns but in the full size; the gate has all of them for one adapter (`platformFaultsSuite`).
 */
export async function platformSuite(name: string, make: Make): Promise<void> {
  const traits = await traitsOf(make);
  basics(name, make);
  limits(name, traits.platform);
  continuation(name, make, await countEvents(make));
  laterActs(name, make, traits);
  if (!traits.hasWorld) return;
  const makeInWorld = (): Promise<InWorld> => inWorld(make);
  basicsInWorld(name, makeInWorld);
  laterActsInWorld(name, makeInWorld, traits);
  for (const step of traits.makes) if (traits.steps.includes(step)) unnotedPlaces(name, makeInWorld, step);
  const domains = { capabilities: traits.platform.capabilities.domain, world: traits.domains };
  if (IS_FULL || HELD_TO_FAULTS.includes(name)) faultsSuite(name, makeInWorld, { ...traits, isWhole: IS_FULL });
  domainSuite(name, makeInWorld, domains);
  domainFaultsSuite(name, makeInWorld, { ...domains, isWhole: IS_FULL });
}

/** Every fault in every step, of publishing and of domains. */
export async function platformFaultsSuite(name: string, make: Make): Promise<void> {
  const traits = await traitsOf(make);
  const makeInWorld = (): Promise<InWorld> => inWorld(make);
  const domains = { capabilities: traits.platform.capabilities.domain, world: traits.domains };
  faultsSuite(name, makeInWorld, { ...traits, isWhole: true });
  domainFaultsSuite(name, makeInWorld, { ...domains, isWhole: true });
}

async function traitsOf(make: Make): Promise<Traits> {
  await using subject = await make();
  const { platform, world } = subject;
  const { steps = [], makes = ['site'], domains = null } = world ?? {};
  return { platform, hasWorld: world !== null, steps, makes, domains };
}

function basics(name: string, make: Make): void {
  test(`${name}: operations are there exactly when the capabilities say so`, async () => {
    await using subject = await make();
    const { capabilities, ...platform } = subject.platform;
    expect(platform.restore !== undefined).toBe(capabilities.rollBack !== null || capabilities.draft);
    expect(platform.cancel !== undefined).toBe(capabilities.cancel);
    expect(platform.handOff !== undefined).toBe(capabilities.publish === 'handOff');
    expect(platform.readLog !== undefined).toBe(capabilities.log);
    expect(capabilities.limits.releaseMs).toBeGreaterThan(capabilities.limits.settleMs);
    const hasDomains = capabilities.domain !== null && capabilities.domain.records !== 'fromPerson';
    expect(platform.attachDomain !== undefined).toBe(hasDomains);
    expect(platform.domain !== undefined).toBe(hasDomains);
    expect(platform.detachDomain !== undefined).toBe(hasDomains);
    const isAskedFor = subject.world?.domains?.manner.isCertificateAskedFor ?? false;
    expect(platform.requestCertificate !== undefined).toBe(isAskedFor);
    // A platform that publishes without going public needs a way to go public.
    if (capabilities.draft) expect(platform.restore).toBeDefined();
  });

  test(`${name}: its bullets promise only what its adapter does`, async () => {
    await using subject = await make();
    for (const bullet of PLATFORMS[subject.platform.id].bullets) {
      const [, isKept] = PROMISES.find(([words]) => words.test(bullet)) ?? expect.fail(`Who keeps “${bullet}”?`);
      expect([bullet, isKept(subject, bullet)]).toEqual([bullet, true]);
    }
  });

  test(`${name}: a connection says who it is, and what can be published under`, async () => {
    await using subject = await make();
    await using harness = await platformHarness();
    expect((await subject.platform.verify(harness.call)).identity).not.toBe('');
    for (const target of await subject.platform.listTargets(harness.call)) expect(target.id).not.toBe('');
  });

  test(`${name}: a release is named first, then sent, then processed, then ready where it says`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    const { events, ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
    const kinds = events.map((event) => event.type);
    expect(kinds.filter((kind) => kind !== 'site')[0]).toBe('ref');
    expect(kinds.lastIndexOf('uploading')).toBeLessThan(kinds.indexOf('processing'));
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    const seen = await platform.release(harness.call, ref);
    expect(seen.state).toBe('verifying');
    if (world !== null && platform.capabilities.draft) expect(seen.ownUrl).not.toBe(null);
  });

  test(`${name}: progress never goes back and ends complete, each file counted once`, async () => {
    await using subject = await make();
    await using harness = await platformHarness();
    const request = await harness.release(1, FILES);
    const { events } = await published(subject.platform, harness.call, request, subject.world);
    const progress = events.filter((event) => event.type === 'uploading');
    expect(progress.at(-1)).toMatchObject({
      done: FILES_SENT,
      total: FILES_SENT,
      doneBytes: BYTES_SENT,
      totalBytes: BYTES_SENT,
    });
    for (const [index, event] of progress.entries()) {
      expect(event.done).toBeGreaterThanOrEqual(progress[index - 1]?.done ?? 0);
      expect(event.doneBytes).toBeGreaterThanOrEqual(progress[index - 1]?.doneBytes ?? 0);
      expect(event).toMatchObject({ total: FILES_SENT, totalBytes: BYTES_SENT });
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
      expect(refused(many(maxFiles + 1, 0))).toThrow(`at most ${formatCount(maxFiles, 'file')}`);
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
  const one = { sha256, sizeBytes: 1 };
  test(`${name}: names that differ in capital letters alone are refused before anything is sent where they are one`, () => {
    const check = expect(
      refused(
        new Map([
          ['Pair.v.html', one],
          ['Pair.V.html', one],
        ]),
      ),
    );
    if (platform.capabilities.foldsCase) check.toThrow('Pair.v.html and Pair.V.html');
    else check.not.toThrow();
  });
  if (platform.capabilities.refusedNames !== null) {
    test(`${name}: a name that it cannot have is refused before anything is sent`, () => {
      expect(refused(new Map([['c#.html', { sha256, sizeBytes: 1 }]]))).toThrow('c#.html');
    });
  }
}

/** The site of odd names as far as the platform takes it, each file with its own path for content; the rest is refused. */
async function oddFiles(platform: Platform): Promise<Record<string, string>> {
  const { refusedNames, foldsCase } = platform.capabilities;
  const all = await oddSite();
  const one = { sha256: 'a'.repeat(64), sizeBytes: 1 };
  const taken = new Map<string, string>();
  for (const path of all) {
    const others = [...taken.keys()].filter((other) => other.toLowerCase() === path.toLowerCase());
    const manifest = new Map([...others, path].map((name) => [name, one]));
    const isRefused = refusedNames?.test(path) === true || (foldsCase && others.length > 0);
    const check = expect(() => requireWithinLimits(platform, 'The platform', manifest));
    if (isRefused) check.toThrow(path);
    else check.not.toThrow();
    if (!isRefused && isServedPath(path, new Set(all))) taken.set(path, path);
  }
  return Object.fromEntries(taken);
}

function basicsInWorld(name: string, make: () => Promise<InWorld>): void {
  test(`${name}: what was published answers at its address, a draft at its own first`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    const odd = await oddFiles(platform);
    await using harness = await platformHarness();
    const { ref } = await published(platform, harness.call, await harness.release(1, { ...odd, ...FILES }), world);
    const seen = await platform.release(harness.call, ref);
    if (platform.capabilities.draft) {
      expect(await textAt(harness.call, seen.url, '')).not.toBe(FILES['index.html']);
      expect(await textAt(harness.call, seen.ownUrl, 'a/b%20c.txt')).toBe('text');
      await restored(platform, harness.call, ref);
    }
    expect(await textAt(harness.call, seen.url, '')).toBe(FILES['index.html']);
    if (PLATFORMS[platform.id].bullets.some((bullet) => OWN_ADDRESS.test(bullet)))
      expect(await textAt(harness.call, seen.ownUrl, '')).toBe(FILES['index.html']);
    for (const [path, text] of Object.entries({ ...odd, ...FILES })) {
      const address = path.split('/').map(encodeURIComponent).join('/');
      expect([path, await textAt(harness.call, seen.url, address)]).toEqual([path, text]);
    }
  });

  test(`${name}: published again with one changed file, only that one is sent`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    await published(platform, harness.call, await harness.release(1, FILES), world);
    const isSent = platform.capabilities.publish !== 'handOff';
    const whole = world.sendsArchive ? 1 : CONTENTS;
    expect(world.takeSent()).toBe(isSent ? whole : 0);
    await published(platform, harness.call, await harness.release(2, { ...FILES, 'a/b c.txt': 'changed' }), world);
    expect(world.takeSent()).toBe(isSent ? 1 : 0);
    expect(await world.countSites()).toBe(1);
  });

  test(`${name}: published again with nothing changed, no file is sent, and it goes on to be looked at`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    await published(platform, harness.call, await harness.release(1, FILES), world);
    world.takeSent();
    const { ref } = await published(platform, harness.call, await harness.release(2, FILES), world);
    expect(world.takeSent()).toBe(world.sendsArchive && platform.capabilities.publish !== 'handOff' ? 1 : 0);
    expect((await platform.release(harness.call, ref)).state).toBe('verifying');
    expect(await world.countSites()).toBe(1);
  });
}

/** `told`: the events of one publication, each of which may be the last that somebody hears. */
function continuation(name: string, make: Make, told: number): void {
  test(`${name}: published again with one changed file, it goes on to be looked at`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    await published(platform, harness.call, await harness.release(1, FILES), world);
    const changed = { ...FILES, 'a/b c.txt': 'changed' };
    const { ref } = await published(platform, harness.call, await harness.release(2, changed), world);
    expect((await platform.release(harness.call, ref)).state).toBe('verifying');
  });

  for (let count = 1; count <= told; count += 1) {
    test(`${name}: killed after event ${count}, a second run ends with one site and one release`, async () => {
      await using subject = await make();
      const { platform, world } = subject;
      await using harness = await platformHarness();
      const request = await harness.release(1, FILES);
      await killedAfter(platform, harness.call, request, count);
      const { ref } = await published(platform, harness.call, request, world);
      const again = await published(platform, harness.call, { ...request, ref }, world);
      expect(again.ref).toEqual(ref);
      expect((await platform.release(harness.call, ref)).state).toBe('verifying');
      // An adapter that asks no platform has no sites and releases but its own.
      if (world !== null) expect([await world.countSites(), await world.countReleases()]).toEqual([1, 1]);
    });
  }

  test(`${name}: an aborted call stops with the reason of its signal`, async () => {
    await using subject = await make();
    await using harness = await platformHarness();
    const request = await harness.release(1, FILES);
    harness.abort.abort(new Error('the lease is gone'));
    await expect(published(subject.platform, harness.call, request)).rejects.toThrow('the lease is gone');
  });

  for (let count = 1; count < told; count += 1) {
    test(`${name}: aborted after event ${count}, it goes no further`, async () => {
      await using subject = await make();
      await using harness = await platformHarness();
      const run = subject.platform.publish(harness.call, await harness.release(1, FILES));
      for (let seen = 0; seen < count; seen += 1) await run.next();
      harness.abort.abort(new Error('stop'));
      const rest = async (): Promise<void> => {
        while (!(await run.next()).done);
      };
      await expect(rest()).rejects.toThrow('stop');
    });
  }

  test(`${name}: a file that the store has lost stops the release`, async () => {
    await using subject = await make();
    await using harness = await platformHarness();
    const request = await harness.release(1, FILES);
    await harness.store.remove(request.manifest.get('a/b c.txt')?.sha256 ?? '');
    await expect(published(subject.platform, harness.call, request)).rejects.toMatchObject({
      code: 'artifact_corrupted',
    });
  });
}

async function countEvents(make: Make): Promise<number> {
  await using subject = await make();
  await using harness = await platformHarness();
  return (await published(subject.platform, harness.call, await harness.release(1, FILES), subject.world)).events
    .length;
}

function laterActs(name: string, make: Make, { platform: { cancel, restore } }: Traits): void {
  if (cancel !== undefined) {
    test(`${name}: a release on its way is ended, as often as asked`, async () => {
      await using subject = await make();
      await using harness = await platformHarness();
      const ref = await startedOnly(subject, harness);
      await expect(subject.platform.cancel?.(harness.call, ref)).resolves.toBeUndefined();
      await expect(subject.platform.cancel?.(harness.call, ref)).resolves.toBeUndefined();
    });
  }

  if (restore !== undefined) {
    test(`${name}: an earlier release can be made the public one again, as often as asked`, async () => {
      await using subject = await make();
      const { platform, world } = subject;
      await using harness = await platformHarness();
      const one = await published(platform, harness.call, await harness.release(1, FILES), world);
      const two = await published(platform, harness.call, await harness.release(2, { 'index.html': 'two' }), world);
      if (platform.capabilities.draft) await restored(platform, harness.call, two.ref);
      const { url } = await platform.release(harness.call, two.ref);
      if (world !== null) expect(await textAt(harness.call, url, '')).toBe('two');
      await restored(platform, harness.call, one.ref);
      await restored(platform, harness.call, one.ref);
      if (world !== null) expect(await textAt(harness.call, url, '')).toBe(FILES['index.html']);
      expect((await platform.release(harness.call, one.ref)).state).toBe('verifying');
    });
  }

  test(`${name}: taking the deployment away may be done twice, and what was never there too`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    await platform.remove(harness.call);
    await published(platform, harness.call, await harness.release(1, FILES), world);
    await expect(platform.remove(harness.call)).resolves.toBeUndefined();
    await expect(platform.remove(harness.call)).resolves.toBeUndefined();
  });
}

/** Publishes until there is a release, and leaves it on its way. */
async function startedOnly({ platform, world }: PlatformUnderTest, harness: PlatformHarness): Promise<PlatformRef> {
  const request = await harness.release(1, FILES);
  const isOurs = world !== null && platform.capabilities.publish !== 'handOff';
  const isThere = async (): Promise<boolean> => !isOurs || (await world.countReleases()) > 0;
  for (let count = 1; request.ref === null || !(await isThere()); count += 1) {
    await killedAfter(platform, harness.call, request, count);
  }
  return request.ref;
}

function laterActsInWorld(name: string, make: () => Promise<InWorld>, { platform: { capabilities } }: Traits): void {
  // What a person does there by hand is theirs to end and to take away.
  if (capabilities.publish === 'handOff') return;
  if (capabilities.cancel) {
    test(`${name}: what was cancelled says so, and what is ready is no longer on its way`, async () => {
      await using subject = await make();
      const { platform, world } = subject;
      await using harness = await platformHarness();
      const ref = await startedOnly(subject, harness);
      await platform.cancel?.(harness.call, ref);
      expect((await platform.release(harness.call, ref)).state).toBe('cancelled');
      const done = await published(platform, harness.call, await harness.release(2, FILES), world);
      await platform.cancel?.(harness.call, done.ref);
      expect((await platform.release(harness.call, done.ref)).state).toBe('verifying');
    });
  }

  test(`${name}: what was taken away is gone there, and is made anew under a reference of its own`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    await published(platform, harness.call, await harness.release(1, FILES), world);
    const gone = harness.call.destination.site;
    expect(gone).not.toBe(null);
    await platform.remove(harness.call);
    expect(await world.countSites()).toBe(0);
    // A caller that removes the deployment forgets where it was.
    harness.call.destination.site = null;
    await published(platform, harness.call, await harness.release(2, FILES), world);
    expect(harness.call.destination.site).not.toEqual(gone);
    expect(await world.countSites()).toBe(1);
  });
}

/**
 * Tests a run that was killed before it could record a place that it had made: `step` was done, and its answer broke
 * off.
 */
function unnotedPlaces(name: string, make: () => Promise<InWorld>, step: Step): void {
  const killed = async ({ platform, world }: InWorld, { call }: PlatformHarness, request: PublishRequest) => {
    const wait = async () => {
      throw new Error('killed');
    };
    world.fail(step, { how: 'halfBody' });
    await expect(published(platform, { ...call, wait }, request, world)).rejects.toThrow('killed');
    world.heal();
    return (await world.countPlaces?.()) ?? world.countSites();
  };

  test.each([
    ['free', 0],
    ['taken by somebody else', 1],
  ])(
    `${name}: killed in ${step} where the name is %s, the next run goes on with what was made`,
    async (_how, taken) => {
      await using subject = await make();
      const { platform, world } = subject;
      await using harness = await platformHarness();
      if (taken === 1) await world.takeName(harness.call.destination.slug);
      const before = await world.countSites();
      const request = await harness.release(1, FILES);
      await killed(subject, harness, request);
      const { ref } = await published(platform, harness.call, request, world);
      expect((await platform.release(harness.call, ref)).state).toBe('verifying');
      expect(await world.countSites()).toBe(before + 1);
    },
  );

  test(`${name}: killed in ${step}, what was made is taken away with its deployment`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    expect(await killed(subject, harness, await harness.release(1, FILES))).toBeGreaterThan(0);
    await platform.remove(harness.call);
    expect((await world.countPlaces?.()) ?? (await world.countSites())).toBe(0);
  });

  test(`${name}: what ${step} refuses is not looked for afterwards`, async () => {
    await using subject = await make();
    const { platform, world } = subject;
    await using harness = await platformHarness();
    const request = await harness.release(1, FILES);
    world.fail(step, { how: 'status', status: 402, body: { message: 'No' } }, 10);
    await expect(published(platform, harness.call, request, world)).rejects.toMatchObject({ code: 'payment_required' });
    expect(harness.call.destination.site ?? {}).not.toHaveProperty('wanted');
  });
}
