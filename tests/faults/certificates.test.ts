import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATE_BOUNDARIES, DNS_CERTIFICATE_BOUNDARIES, DNS_CHANGE_BOUNDARIES } from '../support/boundaries.ts';
import { FOREIGN, textsAt } from '../support/dns-challenge-world.ts';
import { type KilledApp, PATIENCE, startKilledApp } from '../support/killed-app.ts';
import { setsIn } from '../support/record-plans.ts';
import { IS_FULL } from '../support/size.ts';

const TIMES = IS_FULL ? 20 : 1;
/** So many certificates of an account are worked on at once (server/jobs/queue/lanes.ts): one kill is one for each of them. */
const AT_ONCE = IS_FULL ? 4 : 1;
/** Where a second certificate would come of it most easily: the authority has signed, and we have kept nothing of it. */
const SIGNED = 'certificate:signed';
/** The answer is in the zone, and nobody is there to take it away. */
const IN_ZONE = 'certificate:challenge-written';
/** The provider has the records, and we do not know it. */
const SENT = 'dns-change:sent';
/**
 * The authority has taken the order and we do not know where it is, or has looked while nobody was there to answer: no
 * certificate comes of such an order, and another is placed.
 */
const ORDERED_AGAIN: readonly string[] = ['certificate:placed', 'certificate:answered'];
const names = (from: string): string[] => Array.from({ length: AT_ONCE }, (_, index) => `${from}-${index}.test`);
const NAMES = names('harbour');
/** Proved through the DNS connection: their `www` leads nowhere. */
const HELD = names('quay');
const challengeOf = (name: string): string => `_acme-challenge.${name}`;
/** Its records are written through the DNS connection. */
const PLANNED = 'pier.test';

/** Every boundary twenty times in the full size; in the gate the worst one once. */
const kills = (boundaries: readonly string[], worst: string, atOnce = AT_ONCE): readonly string[] =>
  IS_FULL ? Array.from({ length: TIMES / atOnce }, () => boundaries).flat() : [worst];
const RENEWALS = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const FIRST = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const BY_DNS = kills(DNS_CERTIFICATE_BOUNDARIES, IN_ZONE);
/** Of an account one is written at a time. */
const CHANGES = kills(DNS_CHANGE_BOUNDARIES, SENT, 1);

let app: KilledApp;
beforeAll(async () => {
  app = await startKilledApp({
    ends: IS_FULL ? RENEWALS.slice(0, 1) : [SIGNED, IN_ZONE, SENT],
    held: [...HELD, PLANNED],
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

let harbour: ReturnType<typeof activeDomains> | undefined;
const harbourDomains = () => {
  harbour ??= activeDomains(NAMES);
  return harbour;
};

/** Adds a domain, and makes its zone with all that it asks for. */
async function addWithZone(name: string): Promise<string> {
  const { id: domainId, proof } = await app.client.domains.add.mutate({ deploymentId: app.deploymentId, name });
  const proved = { [`${name} A`]: ['127.0.0.1'], [`${proof.name} TXT`]: [`"${proof.value}"`] };
  if (HELD.includes(name)) await makeHeldZone(name, { ...proved, [`${challengeOf(name)} TXT`]: [`"${FOREIGN}"`] });
  else await app.registry.createZone(name, { [`${name} NS`]: ['ns.test.'], ...proved });
  return domainId;
}

/** A zone that the DNS connection writes to. */
function makeHeldZone(zone: string, sets: Record<string, string[]>): Promise<void> {
  const servers = { [`${zone} NS`]: [`ns1.${zone}.`], [`ns1.${zone} A`]: [app.heldAt] };
  return app.server.createZone(zone, { ...servers, ...sets });
}

const check = (domainId: string) => app.client.domains.check.mutate({ domainId });

type Certified = { name: string; certificateId: string; serial: string | null };

/** Domains whose certificates are served. */
async function activeDomains(names: readonly string[]): Promise<Certified[]> {
  const certified: Certified[] = [];
  for (const name of names) {
    const domainId = await addWithZone(name);
    await expect.poll(async () => (await check(domainId)).state, PATIENCE).toBe('active');
    const find = async () => (await app.client.certificates.list.query({ domainId })).items[0];
    await expect.poll(async () => (await find())?.state, PATIENCE).toBe('issued');
    // Its `www` leads nowhere, and is proved by the connection.
    const covered = HELD.includes(name) ? [name, `www.${name}`] : [name];
    expect((await find())?.names).toEqual(covered);
    const isServed = async () => (await app.serialServed(covered.at(-1) ?? '')) === (await find())?.serial;
    await expect.poll(isServed, PATIENCE).toBe(true);
    const { id: certificateId = '', serial = null } = (await find()) ?? {};
    certified.push({ name, certificateId, serial });
  }
  return certified;
}

/** What its page says until it is issued: that it is on its way, or what is in the way and when it is tried again. */
async function issuedAfter(certificateId: string, serialBefore: string | null): Promise<string | null> {
  const onTheWay = serialBefore === null ? ['pending', 'validating'] : ['renewing', 'issued'];
  const untold: unknown[] = [];
  const look = async () => {
    const { state, serial, problem, nextTryAt } = await app.client.certificates.get.query({ certificateId });
    if (state === 'issued' && serial !== serialBefore) return serial;
    const isTold = problem === null ? onTheWay.includes(state) : problem.message !== '' && nextTryAt !== null;
    if (!isTold) untold.push({ state, problem, nextTryAt });
    return null;
  };
  await expect.poll(look, PATIENCE).not.toBe(null);
  expect(untold).toEqual([]);
  return look();
}

/** Of each order that was killed came one certificate, and no more orders than that takes. */
function requireOneEach(boundary: string, before: ReturnType<KilledApp['count']>): void {
  const { orders, signed } = app.count();
  const most = AT_ONCE * (ORDERED_AGAIN.includes(boundary) ? 2 : 1);
  expect([boundary, signed - before.signed]).toEqual([boundary, AT_ONCE]);
  expect([boundary, orders - before.orders <= most]).toEqual([boundary, true]);
}

function tell(what: string, { length }: readonly string[], before: ReturnType<KilledApp['count']>): void {
  const { orders, signed } = app.count();
  console.log(
    `${what}: ${length * AT_ONCE} kills, ${orders - before.orders} orders, ${signed - before.signed} certificates`,
  );
}

/** Each renewal is killed once. Meanwhile the one before is served, and the page answers. */
async function renewThrough(boundaries: readonly string[], certified: readonly Certified[]): Promise<void> {
  const { renew } = app.client.certificates;
  for (const [index, boundary] of boundaries.entries()) {
    const before = app.count();
    const acts = certified.map(
      ({ certificateId }) =>
        () =>
          renew.mutate({ certificateId }),
    );
    await app.killAt(boundary, acts, boundaries[index + 1]);
    await Promise.all(
      certified.map(async (one) => {
        const { name, certificateId, serial } = one;
        const servedAtOnce = await app.serialServed(name);
        const renewed = await issuedAfter(certificateId, serial);
        expect([serial, renewed], `killed at ${boundary}`).toContain(servedAtOnce);
        await expect.poll(() => app.serialServed(name), PATIENCE).toBe(renewed);
        expect(await app.page(name)).toMatch(/PAGE$/);
        one.serial = renewed;
      }),
    );
    requireOneEach(boundary, before);
  }
}

test(`killed at ${RENEWALS.length} steps of renewals: one certificate comes of each, and the one before serves on`, async () => {
  const certified = await harbourDomains();
  const before = app.count();
  await renewThrough(RENEWALS, certified);
  tell('Renewals', RENEWALS, before);
  for (const { certificateId } of certified) {
    const { history } = await app.client.certificates.get.query({ certificateId });
    const told = history.filter(({ what }) => what === 'issued');
    expect(told.length).toBe(Math.min(50, history.length));
  }
});

test(`killed at ${FIRST.length} steps of first orders: each name has one certificate, and others serve on`, async () => {
  const [harbour] = await harbourDomains();
  if (harbour === undefined) throw new Error('Nothing serves on.');
  const before = app.count();
  for (const [index, boundary] of FIRST.entries()) {
    const once = app.count();
    const added = names(`first-${index}`).map((name) => ({ name, domainId: '' }));
    const acts = added.map((one) => async () => {
      one.domainId ||= await addWithZone(one.name);
      await check(one.domainId);
    });
    await app.killAt(boundary, acts, FIRST[index + 1]);
    expect([boundary, await app.serialServed(harbour.name)]).toEqual([boundary, harbour.serial]);
    await Promise.all(
      added.map(async ({ name, domainId }) => {
        const [certificate] = (await app.client.certificates.list.query({ domainId })).items;
        const issued = await issuedAfter(certificate?.id ?? '', null);
        await expect.poll(() => app.serialServed(name), PATIENCE).toBe(issued);
        expect(await app.page(name)).toMatch(/PAGE$/);
      }),
    );
    requireOneEach(boundary, once);
  }
  tell('First orders', FIRST, before);
});

test(`killed at ${BY_DNS.length} steps of orders by DNS: one certificate comes of each, the zones are as they were, and the one before serves on`, async () => {
  const certified = await activeDomains(HELD);
  const before = app.count();
  await renewThrough(BY_DNS, certified);
  tell('Orders by DNS', BY_DNS, before);
  for (const { name, certificateId } of certified) {
    const { history } = await app.client.certificates.get.query({ certificateId });
    expect(history.find(({ what }) => what === 'issued')?.detail).toContain('Proved through your DNS connection.');
    await expect.poll(() => textsAt(app.server, challengeOf(name), name), PATIENCE).toEqual([FOREIGN]);
  }
  await expect.poll(() => app.rows('challenge_records'), PATIENCE).toBe(0);
});

test(`killed at ${CHANGES.length} steps of a change of records: it is written to the end, put back to the end, and touches nothing else`, async () => {
  const { client, server } = app;
  await makeHeldZone(PLANNED, { [`${PLANNED} A`]: ['203.0.113.9'], [`${PLANNED} MX`]: [`10 mail.${PLANNED}.`] });
  const { id: domainId } = await client.domains.add.mutate({ deploymentId: app.deploymentId, name: PLANNED });
  const zone = () => setsIn(server, PLANNED);
  const before = await zone();
  /** Its page says so until it has ended. */
  const ended = async (during: 'applying' | 'undoing', end: 'applied' | undefined) => {
    const untold: unknown[] = [];
    const look = async () => {
      const plan = await client.domains.lastPlan.query({ domainId });
      if (plan?.state !== end && (plan?.state !== during || plan.error !== null)) untold.push(plan);
      return plan?.state;
    };
    await expect.poll(look, PATIENCE).toBe(end);
    expect(untold).toEqual([]);
  };
  let written: string[] | undefined;
  for (const [index, boundary] of CHANGES.entries()) {
    const { planId } = await client.domains.plan.mutate({ domainId });
    await app.killAt(boundary, [() => client.domains.applyPlan.mutate({ planId })]);
    await ended('applying', 'applied');
    written ??= await zone();
    expect([boundary, await zone()]).toEqual([boundary, written]);
    expect(written).toEqual(expect.arrayContaining(before.filter((line) => !line.includes('203.0.113.9'))));
    const undo = () => client.domains.undoPlan.mutate({ planId });
    if (IS_FULL) await app.killAt(boundary, [undo], CHANGES[index + 1]);
    else await undo();
    await ended('undoing', undefined);
    expect([boundary, await zone()]).toEqual([boundary, before]);
  }
  console.log(`Changes of records: ${CHANGES.length * (IS_FULL ? 2 : 1)} kills`);
});
