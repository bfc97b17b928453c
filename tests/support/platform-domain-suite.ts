import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import type { DomainCapabilities } from '../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import type { Egress } from '../../server/lib/egress/egress.ts';
import type {
  AttachedDomain,
  DomainRecord,
  Platform,
  PlatformCall,
  PlatformDomain,
} from '../../server/publishing/platforms/platform.ts';
import {
  type DomainManner,
  type DomainWorld,
  type InWorld,
  type PlatformHarness,
  platformHarness,
  published,
  restored,
} from './platform-harness.ts';
import type { Fault, Step } from './standins/faults.ts';
import { expectDoubling, REFUSALS, TRANSIENT_FAULTS } from './transient-faults.ts';

const FILES = { 'index.html': '<h1>one</h1>' };
/** The first cannot be a CNAME, the second can. */
const APEX = 'example.com';
const BELOW = 'shop.example.com';
/** Looks that are enough for a stand-in, which moves on with each. */
const LOOKS_MAX = 12;

type Make = () => Promise<InWorld>;
type DomainSteps = DomainWorld['steps'];
type Domain = DomainCapabilities & DomainManner;
type OnSite = {
  platform: Platform;
  world: InWorld['world'];
  domains: DomainWorld;
  harness: PlatformHarness;
  call: PlatformCall;
  attach(name: string, call?: PlatformCall): Promise<AttachedDomain>;
  read(name: string, call?: PlatformCall): Promise<PlatformDomain>;
  detach(name: string, call?: PlatformCall): Promise<void>;
  /** Asked only where the platform is asked for certificates. */
  request(name: string, call?: PlatformCall): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Domains = {
  capabilities: DomainCapabilities | null;
  world: Pick<DomainWorld, 'steps' | 'manner'> | null;
};

/** Tests the rules for every platform that can be given domains (server/publishing/platforms/platform.ts). */
export function domainSuite(name: string, make: Make, { capabilities, world }: Domains): void {
  if (capabilities === null || world === null || capabilities.records === 'fromPerson') return;
  const domain = { ...capabilities, ...world.manner };
  recordsWanted(name, make, domain);
  attaching(name, make, domain);
  taken(name, make, domain);
  reading(name, make, domain);
  leaving(name, make);
}

/**
 * Tests faults in each step of each operation on domains. The whole suite has each transient fault in each of them, in
 * a test of its own; otherwise they take turns, since all go through the same client, and tests that leave nothing
 * behind share a site.
 */
export function domainFaultsSuite(
  name: string,
  make: Make,
  { capabilities, world, isWhole }: Domains & { isWhole: boolean },
): void {
  if (capabilities === null || world === null || capabilities.records === 'fromPerson') return;
  const failing = { name, make, domain: { ...capabilities, ...world.manner }, steps: world.steps };
  if (isWhole) {
    for (const kind of TRANSIENT) inEachStep(failing, kind.title, (on, at) => passes(on, at, kind.fault));
    inEachStep(failing, 'a pause that is asked for is kept when short, and handed to the queue when long', pauses);
    inEachStep(failing, 'trouble that lasts is given back after five tries, with the remedy', lasts);
    inEachStep(failing, 'a refusal is sorted once, tried once, and shows no secret and no markup', refuses);
    return;
  }
  inEachStep(failing, 'what may pass is waited for by the table, and leaves what was asked for once', (on, at, turn) =>
    passes(on, at, (TRANSIENT[turn % TRANSIENT.length] ?? { fault: { how: 'reset' } }).fault),
  );
  inEachStep(failing, 'a refusal is tried once, trouble five times, and a pause is kept', async (on, at) => {
    await refuses(on, at);
    await lasts(on, at);
    on.world.heal();
    on.harness.waits.length = 0;
    await pauses(on, at);
  });
}

/** Publishes a first release: some platforms take a domain only once something is public. */
export async function onSite(make: Make): Promise<OnSite> {
  const { platform, world, [Symbol.asyncDispose]: dispose } = await make();
  const { attachDomain, domain, detachDomain, requestCertificate } = platform;
  const { domains } = world;
  if (attachDomain === undefined || domain === undefined || detachDomain === undefined || domains === undefined) {
    throw new Error('This platform takes no domains: the test should not be here.');
  }
  const harness = await platformHarness();
  await goPublic(platform, harness, harness.call);
  return {
    platform,
    world,
    domains,
    harness,
    call: harness.call,
    attach: (name, call = harness.call) => attachDomain(call, name),
    read: (name, call = harness.call) => domain(call, name),
    detach: (name, call = harness.call) => detachDomain(call, name),
    request: async (name, call = harness.call) => requestCertificate?.(call, name),
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await dispose();
    },
  };
}

async function goPublic(platform: Platform, harness: PlatformHarness, call: PlatformCall): Promise<void> {
  const { ref } = await published(platform, call, await harness.release(1, FILES));
  if (platform.capabilities.draft) await restored(platform, call, ref);
}

/** Returns another deployment of the same account, with a site of its own. */
async function neighbour({ platform, harness }: OnSite): Promise<PlatformCall> {
  const other = { id: 'e'.repeat(20), slug: 'other-site', site: null };
  const call = { ...harness.call, destination: { ...harness.call.destination, ...other } };
  await goPublic(platform, harness, call);
  return call;
}

function recordsWanted(name: string, make: Make, domain: Domain): void {
  test(`${name}: the records of a domain are whole, and of the kinds that the capabilities say`, async () => {
    await using on = await onSite(make);
    for (const host of [APEX, BELOW]) {
      const attached = await on.attach(host);
      expect(attached.counterparts).toEqual(domain.counterpart === 'automatic' && host === APEX ? [`www.${APEX}`] : []);
      for (const record of attached.records) expectWhole(record, [host, ...attached.counterparts]);
      for (const one of [host, ...attached.counterparts]) expectRoute(attached.records, one, domain);
      const proofs = attached.records.filter(({ purpose }) => purpose === 'proof');
      expect(proofs).toEqual([]);
      await on.detach(host);
    }
  });
}

function expectWhole(record: DomainRecord, names: readonly string[]): void {
  const { type, name, value, ttl } = record;
  expect(names.some((one) => name === one || name.endsWith(`.${one}`))).toBe(true);
  expect(value.trim()).toBe(value);
  expect(value).not.toBe('');
  if (type === 'A') expect(isIP(value)).toBe(4);
  if (type === 'AAAA') expect(isIP(value)).toBe(6);
  if (type === 'CNAME' || type === 'ALIAS') expect(value).toMatch(/^([a-z0-9-]+\.)+[a-z]+$/);
  expect(Number.isInteger(ttl) && ttl >= 60 && ttl <= 86_400, `ttl ${ttl}`).toBe(true);
}

/** Expects the records that lead a name there: one kind that is required, or several in one group. */
function expectRoute(all: readonly DomainRecord[], name: string, domain: Domain): void {
  const here = all.filter((record) => record.name === name);
  const routes = here.filter(({ purpose, required }) => purpose === 'route' && required);
  const types = [...new Set(routes.map(({ type }) => type))].toSorted();
  if (name !== APEX) expect(types).toEqual(['CNAME']);
  if (name === APEX) expect(types).toEqual(domain.apex);
  const groups = new Set(routes.map(({ alternativeGroup }) => alternativeGroup));
  expect(groups.size).toBe(1);
  expect(groups.has(null)).toBe(types.length === 1);
  // RFC 1034, 3.6.2: nothing stands beside a CNAME.
  if (types.includes('CNAME')) expect(here).toHaveLength(1);
}

function attaching(name: string, make: Make, domain: Domain): void {
  const { max } = domain;

  test(`${name}: a domain that is attached twice is there once, with the same records`, async () => {
    await using on = await onSite(make);
    const once = await on.attach(APEX);
    expect(await on.attach(APEX)).toEqual(once);
    expect(await on.domains.countNames()).toBe(1 + once.counterparts.length);
  });

  test(`${name}: killed after each request, a second run ends with one domain, and with none once it is taken off`, async () => {
    await using on = await onSite(make);
    for (let count = 1, isKilled = true; isKilled; count += 1) {
      isKilled = await diesAfter(on.call, count, (call) => on.attach(APEX, call));
      const { counterparts } = await on.attach(APEX);
      expect(await on.domains.countNames(), `killed after ${count} requests`).toBe(1 + counterparts.length);
      const isKilledAgain = await diesAfter(on.call, count, (call) => on.detach(APEX, call));
      await on.detach(APEX);
      expect(await on.domains.countNames(), `killed after ${count} requests`).toBe(0);
      isKilled ||= isKilledAgain;
    }
  });

  if (max !== null) {
    test(`${name}: no more domains are attached than a site may have, and those that it has stay`, async () => {
      await using on = await onSite(make);
      for (let count = 0; count < max; count += 1) await on.attach(`n${count}.example.com`);
      const refused = on.attach('one-more.example.com');
      await expect(refused).rejects.toMatchObject({ code: 'plan_limit', hint: expect.stringContaining('make room') });
      expect(await on.domains.countNames()).toBe(max);
      expect((await on.read('n0.example.com')).ownership.code).not.toBe('not_attached');
    });
  }

  test(`${name}: an aborted call stops with the reason of its signal, and attaches nothing`, async () => {
    await using on = await onSite(make);
    on.harness.abort.abort(new Error('the lease is gone'));
    for (const act of actsOf(domain)) await expect(on[act](APEX), act).rejects.toThrow('the lease is gone');
    expect(await on.domains.countNames()).toBe(0);
  });
}

function withoutSite(call: PlatformCall): PlatformCall {
  return { ...call, destination: { ...call.destination, site: null } };
}

/**
 * Returns whether it was killed. From request number `count` on it gets no answer any more, although the request is
 * carried out.
 */
async function diesAfter(
  call: PlatformCall,
  count: number,
  act: (call: PlatformCall) => Promise<unknown>,
): Promise<boolean> {
  const death = new AbortController();
  let asked = 0;
  const egress: Egress = {
    request: async (url, request, read) => {
      const value = await call.egress.request(url, request, read);
      asked += 1;
      if (asked < count) return value;
      death.abort(new Error('killed'));
      throw death.signal.reason;
    },
  };
  return act({ ...call, egress, signal: death.signal }).then(
    () => false,
    (error: unknown) => {
      if (error !== death.signal.reason) throw error;
      return true;
    },
  );
}

function taken(name: string, make: Make, { proof }: Domain): void {
  test(`${name}: a domain that another site has is refused with the remedy, and stays there until it is taken off`, async () => {
    await using on = await onSite(make);
    const other = await neighbour(on);
    await on.attach(BELOW, other);
    await expect(on.attach(BELOW)).rejects.toMatchObject({
      code: 'domain_taken',
      message: expect.stringContaining('Another site at'),
      hint: expect.stringContaining('take the domain off it'),
    });
    expect((await on.read(BELOW)).ownership.code).toBe('not_attached');
    expect((await on.read(BELOW, other)).ownership.code).not.toBe('not_attached');
    await on.detach(BELOW);
    expect(await on.domains.countNames()).toBe(1);
    await on.detach(BELOW, other);
    await on.attach(BELOW);
    await on.platform.remove(on.call);
    await on.attach(BELOW, other);
    expect(await on.domains.countNames()).toBe(1);
  });

  if (proof === 'never') {
    test(`${name}: a domain that another account has is refused with the remedy`, async () => {
      await using on = await onSite(make);
      await on.domains.take(BELOW);
      const refused = on.attach(BELOW);
      await expect(refused).rejects.toMatchObject({ code: 'domain_taken', hint: expect.stringContaining('release') });
    });
    return;
  }
  test(`${name}: a domain that another account has is waited for until its record proves it`, async () => {
    await using on = await onSite(make);
    await on.domains.take(BELOW);
    const { records } = await on.attach(BELOW);
    const proofs = records.filter(({ purpose }) => purpose === 'proof');
    expect(proofs).toMatchObject([{ type: 'TXT', required: true, alternativeGroup: null }]);
    on.domains.place(records.filter(({ purpose }) => purpose === 'route'));
    const before = await lookUntil(on, BELOW, ({ dns }) => dns.state === 'ok');
    expect(before.ownership).toMatchObject({ state: 'waiting', code: 'proof_missing' });
    expect(before.certificate.state).toBe('waiting');
    on.domains.place(proofs);
    await lookUntil(on, BELOW, ({ ownership }) => ownership.state === 'ok');
    // It is no longer wanted of who has it now.
    expect((await on.attach(BELOW)).records.some(({ purpose }) => purpose === 'proof')).toBe(false);
  });
}

function reading(name: string, make: Make, domain: Domain): void {
  const whenDone = domain.certificate.status === 'none' ? 'waiting' : 'ok';
  const isDone = ({ ownership, dns, certificate }: PlatformDomain): boolean =>
    ownership.state === 'ok' && dns.state === 'ok' && certificate.state === whenDone;

  test(`${name}: a domain waits until its records are seen, and then for its certificate, by each kind of record`, async () => {
    await using on = await onSite(make);
    for (const kind of ['A', 'ALIAS'] as const) {
      const host = `by-${kind.toLowerCase()}.com`;
      const { records } = await on.attach(host);
      const waiting = await on.read(host);
      expect([waiting.dns.state, waiting.certificate.state]).toEqual(['waiting', 'waiting']);
      on.domains.place(chosenOf(records, kind));
      const done = await lookUntil(on, host, isDone);
      expect(done.certificate.expiresAt !== null).toBe(domain.certificate.status === 'full');
      if (done.certificate.expiresAt !== null) expect(done.certificate.expiresAt > on.call.now()).toBe(true);
      expect(isDone(await on.read(host))).toBe(true);
      await on.request(host);
      expect(await on.domains.countOrders()).toBe(domain.isCertificateAskedFor ? 1 : 0);
      await on.detach(host);
    }
  });

  if (domain.isCertificateAskedFor) {
    test(`${name}: killed after each request for a certificate, one is ordered`, async () => {
      await using on = await onSite(make);
      for (let count = 1, isKilled = true; isKilled; count += 1) {
        const host = `killed-${count}.com`;
        await readyToOrder(on, host);
        isKilled = await diesAfter(on.call, count, (call) => on.request(host, call));
        await on.request(host);
        expect(await on.domains.countOrders(), `killed after ${count} requests`).toBe(1);
        await on.detach(host);
      }
    });
  }

  test(`${name}: states that nobody knows mean to wait, and are no problem of any of the three questions`, async () => {
    await using on = await onSite(make);
    on.world.fail('attach', { how: 'states', states: ['pondering', 'quarantined', 'constructor'] });
    const { records } = await on.attach(APEX);
    on.domains.place(chosenOf(records, 'A'));
    // The platform has a word on some of the questions, and on the others an answer that is known.
    const told: string[] = [];
    await lookUntil(on, APEX, (seen) => {
      const unclear = [seen.ownership, seen.dns, seen.certificate].filter(({ code }) => code === 'unclear');
      told.push(...unclear.map(({ text }) => text));
      return isDone(seen);
    });
    if (domain.certificate.status !== 'none') expect(told.join()).toContain('pondering');
  });

  test(`${name}: a domain that was never attached is an answer and no error`, async () => {
    await using on = await onSite(make);
    const { ownership, dns, certificate } = await on.read(APEX);
    expect(ownership).toMatchObject({ state: 'problem', code: 'not_attached' });
    expect([dns.state, certificate.state]).toEqual(['waiting', 'waiting']);
  });
}

/** Returns the records of this type of each group, or those of its first type when it has none of this one. */
function chosenOf(wanted: readonly DomainRecord[], kind: DomainRecord['type']): DomainRecord[] {
  return wanted.filter((record) => {
    if (record.alternativeGroup === null) return true;
    const group = wanted.filter((one) => one.alternativeGroup === record.alternativeGroup);
    const type = group.some((one) => one.type === kind) ? kind : group[0]?.type;
    return record.type === type;
  });
}

/** Looks again and again, asking for the certificate when it can be had; nothing is a problem on the way. */
async function lookUntil(
  on: OnSite,
  name: string,
  isReached: (seen: PlatformDomain) => boolean,
): Promise<PlatformDomain> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const seen = await on.read(name);
    for (const answer of [seen.ownership, seen.dns, seen.certificate]) {
      expect(answer.state).not.toBe('problem');
      expect(answer.text).toMatch(/\.$/);
    }
    if (isReached(seen)) return seen;
    if (seen.certificate.code === 'certificate_missing') await on.request(name);
  }
  throw new Error(`${name} is not there after ${LOOKS_MAX} looks.`);
}

/** Attached, pointed there, and without a certificate. */
async function readyToOrder(on: OnSite, name: string): Promise<void> {
  on.domains.place(chosenOf((await on.attach(name)).records, 'A'));
  await lookUntil(on, name, (seen) => seen.certificate.code === 'certificate_missing');
}

function leaving(name: string, make: Make): void {
  test(`${name}: taking a domain off may be done twice, and where it never was or its site is gone`, async () => {
    await using on = await onSite(make);
    await on.detach(APEX);
    await on.attach(APEX);
    await on.detach('elsewhere.example.com');
    expect(await on.domains.countNames()).toBeGreaterThan(0);
    await on.detach(APEX);
    await on.detach(APEX);
    expect(await on.domains.countNames()).toBe(0);
    await on.detach(APEX, withoutSite(on.call));
    await on.platform.remove(on.call);
    await on.detach(APEX);
    await expect(on.attach(APEX)).rejects.toMatchObject({ code: 'platform_place_gone' });
    await expect(on.attach(APEX, withoutSite(on.call))).rejects.toMatchObject({ code: 'platform_place_gone' });
  });
}

type Act = keyof DomainWorld['steps'];

function actsOf({ isCertificateAskedFor }: DomainManner): Act[] {
  return isCertificateAskedFor ? ['attach', 'read', 'detach', 'request'] : ['attach', 'read', 'detach'];
}

type Failing = { name: string; make: Make; domain: Domain; steps: DomainSteps };

/** Leaves out the cut body, which these requests hardly have. */
const TRANSIENT = TRANSIENT_FAULTS.filter(({ fault: { how } }) => how !== 'cut').map(({ title, fault }) => ({
  title: `${title} is waited for by the table, and leaves what was asked for once`,
  fault,
}));

async function passes(on: OnSite, { act, step, host }: AtStep, fault: Fault): Promise<void> {
  on.world.fail(step, fault, 3);
  await on[act](host);
  if (fault.how === 'status') expectDoubling(on.harness.waits, `${act}, ${step}`);
  on.world.heal();
  await expectDone(on, act, host);
}

async function pauses(on: OnSite, { act, step, host }: AtStep): Promise<void> {
  on.world.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '7' } });
  on.world.fail(step, { how: 'status', status: 429, headers: { 'retry-after': '3600' } });
  await expect(on[act](host)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 });
  expect(on.harness.waits).toEqual([7_000]);
  await on[act](host);
  await expectDone(on, act, host);
}

async function lasts(on: OnSite, { act, step, host }: AtStep): Promise<void> {
  on.world.fail(step, { how: 'status', status: 503 }, 5);
  await expect(on[act](host)).rejects.toMatchObject({
    code: 'platform_down',
    hint: expect.stringContaining('tries again'),
  });
  expect(on.harness.waits).toHaveLength(4);
}

async function refuses(on: OnSite, { act, step, host }: AtStep): Promise<void> {
  for (const { status, code } of REFUSALS) {
    on.world.fail(step, { how: 'status', status, body: { message: '<b>No</b> for a-secret-token' } }, 100);
    const error = await on[act](host).catch((thrown: unknown) => thrown);
    expect(error, String(status)).toMatchObject({ code });
    expect(String(error)).not.toMatch(/a-secret-token|<b>/);
    expect(on.harness.waits, String(status)).toEqual([]);
    on.world.heal();
  }
}

type AtStep = { act: Act; step: Step; host: string };

/** A test of each operation at each of its steps, on a domain that is ready for it, and can be taken off afterwards. */
function inEachStep(
  { name, make, domain, steps }: Failing,
  title: string,
  work: (on: OnSite, at: AtStep, turn: number) => Promise<void>,
): void {
  let turns = 0;
  for (const act of actsOf(domain)) {
    for (const step of steps[act]) {
      const turn = turns;
      turns += 1;
      test(`${name}: ${act} of a domain, in ${step}: ${title}`, async () => {
        await using on = await onSite(make);
        // Counterparts are made by the one and taken away by the other.
        const host = act === 'attach' || act === 'detach' ? APEX : BELOW;
        if (act === 'request') await readyToOrder(on, host);
        else if (act !== 'attach') await on.attach(host);
        on.harness.waits.length = 0;
        await work(on, { act, step, host }, turn);
        on.world.heal();
        await on.detach(host);
        expect(await on.domains.countNames()).toBe(0);
      });
    }
  }
}

/** Expects the result of the request, and nothing besides. */
async function expectDone(on: OnSite, act: Act, host: string): Promise<void> {
  const names = await on.domains.countNames();
  if (act === 'detach') return expect(names).toBe(0);
  expect((await on.read(host)).ownership.code).not.toBe('not_attached');
  const { counterparts } = await on.attach(host);
  expect(names).toBe(1 + counterparts.length);
  if (act === 'request') expect(await on.domains.countOrders()).toBe(1);
}
