import { expect, test } from 'vitest';
import type { Platform } from '../../server/publishing/platforms/platform.ts';
import { type InWorld, type PlatformHarness, platformHarness, published } from './platform-harness.ts';
import { IS_FULL } from './size.ts';
import type { Step } from './standins/faults.ts';
import { expectDoubling, REFUSALS, TRANSIENT_FAULTS, WAIT_HINTS } from './transient-faults.ts';

const FILES = { 'index.html': '<h1>one</h1>', 'a/b c.txt': 'text', 'a/copy.txt': 'text', 'empty.txt': '' };

type Make = () => Promise<InWorld>;
type Run = (on: { platform: Platform; world: InWorld['world']; harness: PlatformHarness }) => Promise<void>;

type Faults = { steps: readonly Step[]; isWhole: boolean };

/**
 * Tests faults of a platform in each step of publishing. The whole suite has each kind in each step; otherwise each
 * step has one of each group, and the steps take turns, since all of them go through the same client.
 */
export function faultsSuite(name: string, make: Make, { steps, isWhole }: Faults): void {
  const inWorld = (title: string, run: Run): void =>
    test(`${name}: ${title}`, async () => {
      await using subject = await make();
      await using harness = await platformHarness();
      await run({ platform: subject.platform, world: subject.world, harness });
    });
  for (const [turn, step] of steps.entries()) {
    const some: Some = (all) => (isWhole ? all : all.filter((_, index) => index === turn % all.length));
    passing(step, inWorld, some, IS_FULL || (isWhole && step === 'release'));
    waits(step, inWorld, some);
    refusals(step, inWorld, some);
  }
  // Where a person finishes by hand, no token opens anything.
  if (steps.includes('state')) tokens(inWorld);
  byHand(steps, inWorld);
  const starts = steps.find((step) => step === 'finish') ?? steps.find((step) => step === 'release');
  if (starts !== undefined) states(starts, inWorld);
}

type Register = (title: string, run: Run) => void;
/** Chooses the faults of a group that a step is tested with. */
type Some = <Kind>(all: readonly Kind[]) => readonly Kind[];

async function expectOne(on: Parameters<Run>[0], ref: Awaited<ReturnType<typeof published>>['ref']): Promise<void> {
  expect((await on.platform.release(on.harness.call, ref)).state).toBe('verifying');
  expect([await on.world.countSites(), await on.world.countReleases()]).toEqual([1, 1]);
}

function passing(step: Step, register: Register, some: Some, isLateHeld: boolean): void {
  // A body that is cut off has to be there: no other step but this one has it.
  const cut = TRANSIENT_FAULTS.filter(({ fault: { how } }) => how === 'cut' && step === 'upload');
  for (const { title, fault } of [...some(TRANSIENT_FAULTS.filter(({ fault: { how } }) => how !== 'cut')), ...cut]) {
    register(`${title} in ${step} is waited for by the table, and leaves one site and one release`, async (on) => {
      const { platform, world, harness } = on;
      world.fail(step, fault, 3);
      const { ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
      await expectOne(on, ref);
      // What broke off after it was done is found by the next look: there is less to wait for.
      // Beside one another, uploads share the three.
      const isAlone = step !== 'upload' || world.atOnce === 1;
      if (fault.how === 'status' && isAlone) expectDoubling(harness.waits, step);
    });
  }

  // Two seconds each, until the product stops trying.
  if (isLateHeld) {
    register(`an answer in ${step} that comes after we gave up leaves one site and one release`, async (on) => {
      const { platform, world, harness } = on;
      world.fail(step, { how: 'late' });
      const { ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
      await expectOne(on, ref);
    });
  }

  register(`trouble that lasts in ${step} is given back after five tries, with the remedy`, async (on) => {
    const { platform, world, harness } = on;
    const request = await harness.release(1, FILES);
    // In parallel each upload has five tries of its own.
    world.fail(step, { how: 'status', status: 503 }, 5 * world.atOnce);
    await expect(published(platform, harness.call, request, world)).rejects.toMatchObject({
      code: 'platform_down',
      message: expect.stringContaining('did not respond as expected'),
      hint: expect.stringContaining('tries again'),
    });
  });
}

/**
 * A busy machine may have some seconds less of it left when the request is sent, which is still more than any wait of
 * the product.
 */
const PAUSE_S = 50;

function waits(step: Step, register: Register, some: Some): void {
  for (const { title, headers } of some(WAIT_HINTS)) {
    register(`a short pause that ${step} asks for in ${title} is kept`, async ({ platform, world, harness }) => {
      world.fail(step, { how: 'status', status: 429, headers: headers(PAUSE_S, harness.call.now()) });
      await published(platform, harness.call, await harness.release(1, FILES), world);
      expect(Math.max(...harness.waits)).toBeGreaterThan(28_000);
      expect(Math.max(...harness.waits)).toBeLessThanOrEqual((PAUSE_S + 1) * 1_000);
    });

    register(`a long pause that ${step} asks for in ${title} is handed to the queue`, async (on) => {
      const { platform, world, harness } = on;
      const request = await harness.release(1, FILES);
      world.fail(step, { how: 'status', status: 429, headers: headers(3_600, harness.call.now()) }, world.atOnce);
      const error = await published(platform, harness.call, request, world).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'rate_limited' });
      const retryAfterMs = error instanceof Error && 'retryAfterMs' in error ? Number(error.retryAfterMs) : 0;
      expect(retryAfterMs).toBeGreaterThan(3_590_000);
      expect(retryAfterMs).toBeLessThanOrEqual(3_601_000);
      world.heal();
      const { ref } = await published(platform, harness.call, request, world);
      await expectOne(on, ref);
    });
  }
}

function refusals(step: Step, register: Register, some: Some): void {
  for (const { status, code } of some(REFUSALS)) {
    register(`${status} in ${step} is ${code}, tried once, and shows no secret and no markup`, async (on) => {
      const { platform, world, harness } = on;
      const body = { message: '<b>No</b> for a-secret-token' };
      world.fail(step, { how: 'status', status, body }, 100);
      const request = await harness.release(1, FILES);
      const error = await published(platform, harness.call, request, world).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code });
      expect(String(error)).not.toMatch(/a-secret-token|<b>/);
      expect(harness.waits).toEqual([]);
    });
  }
}

function tokens(register: Register): void {
  register('a token that was revoked before is refused at the first request, and reported', async (on) => {
    const { platform, world, harness } = on;
    world.revoke();
    await expect(published(platform, harness.call, await harness.release(1, FILES), world)).rejects.toMatchObject({
      code: 'credentials_invalid',
    });
    expect(new Set(harness.refused).size).toBe(1);
    expect(await world.countSites()).toBe(0);
  });

  register('a token that is revoked in the middle ends the release, which a new token continues', async (on) => {
    const { platform, world, harness } = on;
    const request = await harness.release(1, FILES);
    world.fail('state', { how: 'status', status: 401, body: { message: 'Bad credentials' } });
    await expect(published(platform, harness.call, request, world)).rejects.toMatchObject({
      code: 'credentials_invalid',
    });
    expect(harness.refused.length).toBeGreaterThan(0);
    const { ref } = await published(platform, harness.call, request, world);
    await expectOne(on, ref);
  });

  register('a token that was revoked afterwards is told when the release is asked for', async (on) => {
    const { platform, world, harness } = on;
    const { ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
    world.revoke();
    await expect(platform.release(harness.call, ref)).rejects.toMatchObject({ code: 'credentials_invalid' });
    await expect(platform.verify(harness.call)).rejects.toMatchObject({ code: 'credentials_invalid' });
  });
}

function byHand(steps: readonly Step[], register: Register): void {
  if (!steps.includes('site')) return;
  register(
    'a site that was deleted there by hand is said to be gone, and is made anew once it is forgotten',
    async (on) => {
      const { platform, world, harness } = on;
      await published(platform, harness.call, await harness.release(1, FILES), world);
      await world.deleteSites();
      const request = await harness.release(2, { ...FILES, 'index.html': 'two' });
      await expect(published(platform, harness.call, request, world)).rejects.toMatchObject({
        code: 'platform_place_gone',
      });
      harness.call.destination.site = null;
      await published(platform, harness.call, { ...request, ref: null }, world);
      expect(await world.countSites()).toBe(1);
    },
  );

  register('a name that somebody else has gives way to one like it', async (on) => {
    const { platform, world, harness } = on;
    const { slug } = harness.call.destination;
    await world.takeName(slug);
    const before = await world.countSites();
    const { ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
    expect(await world.countSites()).toBe(before + 1);
    expect((await platform.release(harness.call, ref)).url).toContain(slug);
  });
}

function states(starts: Step, register: Register): void {
  register('a state that nobody knows means to wait', async (on) => {
    const { platform, world, harness } = on;
    world.fail(starts, { how: 'states', states: ['pondering', 'quarantined', 'building'] });
    const { events, ref } = await published(platform, harness.call, await harness.release(1, FILES), world);
    const told = events.flatMap((event) => (event.type === 'processing' ? [event.text] : []));
    expect(told.join()).toContain('pondering');
    await expectOne(on, ref);
  });

  register('a state that lasts is left, with a time to come back', async ({ platform, world, harness }) => {
    world.fail(starts, { how: 'states', states: Array.from({ length: 40 }, (_, look) => `slow ${look}`) });
    const { events } = await published(platform, harness.call, await harness.release(1, FILES), world);
    const waiting = events.filter((event) => event.type === 'waiting');
    expect(waiting.length).toBeGreaterThan(0);
    for (const { retryAfterMs } of waiting) expect(retryAfterMs).toBeGreaterThan(0);
  });

  register('a state that says so means the end', async ({ platform, world, harness }) => {
    world.fail(starts, { how: 'states', states: ['building', 'error', 'error'] });
    const failed = published(platform, harness.call, await harness.release(1, FILES), world);
    await expect(failed).rejects.toMatchObject({ code: 'platform_failed' });
  });
}
