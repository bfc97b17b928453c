import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATE_BOUNDARIES, DNS_CERTIFICATE_BOUNDARIES, DNS_CHANGE_BOUNDARIES } from '../support/boundaries.ts';
import { FOREIGN, textsAt } from '../support/dns-challenge-world.ts';
import { type KilledApp, PATIENCE, startKilledApp } from '../support/killed-app.ts';
import { setsIn } from '../support/record-plans.ts';
import { IS_FULL } from '../support/size.ts';

const TIMES = IS_FULL ? 20 : 1;
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
const NAME = 'harbour.test';
/** Proved through the DNS connection: its `www` leads nowhere. */
const HELD = 'quay.test';
const CHALLENGE = `_acme-challenge.${HELD}`;
/** Its records are written through the DNS connection. */
const PLANNED = 'pier.test';

/** Every boundary twenty times in the full size; in the gate the worst one once. */
const kills = (boundaries: readonly string[], worst: string): readonly string[] =>
  IS_FULL ? Array.from({ length: TIMES }, () => boundaries).flat() : [worst];
const RENEWALS = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const FIRST = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const BY_DNS = kills(DNS_CERTIFICATE_BOUNDARIES, IN_ZONE);
const CHANGES = kills(DNS_CHANGE_BOUNDARIES, SENT);

let app: KilledApp;
beforeAll(async () => {
  app = await startKilledApp({ ends: IS_FULL ? RENEWALS.slice(0, 1) : [SIGNED, IN_ZONE, SENT], held: [HELD, PLANNED] });
});
afterAll(() => app?.[Symbol.asyncDispose]());

let harbour: ReturnType<typeof activeDomain> | undefined;
const harbourDomain = () => {
  harbour ??= activeDomain(NAME);
  return harbour;
};

/** Adds a domain, and makes its zone with all that it asks for. */
async function addWithZone(name: string): Promise<string> {
  const { id: domainId, proof } = await app.client.domains.add.mutate({ deploymentId: app.deploymentId, name });
  const proved = { [`${name} A`]: ['127.0.0.1'], [`${proof.name} TXT`]: [`"${proof.value}"`] };
  if (name === HELD) await makeHeldZone(HELD, { ...proved, [`${CHALLENGE} TXT`]: [`"${FOREIGN}"`] });
  else await app.registry.createZone(name, { [`${name} NS`]: ['ns.test.'], ...proved });
  return domainId;
}

/** A zone that the DNS connection writes to. */
function makeHeldZone(zone: string, sets: Record<string, string[]>): Promise<void> {
  const servers = { [`${zone} NS`]: [`ns1.${zone}.`], [`ns1.${zone} A`]: [app.heldAt] };
  return app.server.createZone(zone, { ...servers, ...sets });
}

const check = (domainId: string) => app.client.domains.check.mutate({ domainId });

/** A domain whose certificate is served. */
async function activeDomain(name: string): Promise<{ domainId: string; certificateId: string }> {
  const domainId = await addWithZone(name);
  await expect.poll(async () => (await check(domainId)).state, PATIENCE).toBe('active');
  const find = async () => (await app.client.certificates.list.query({ domainId })).items[0];
  await expect.poll(async () => (await find())?.state, PATIENCE).toBe('issued');
  await expect.poll(() => app.serialServed(name), PATIENCE).toBe((await find())?.serial);
  return { domainId, certificateId: (await find())?.id ?? '' };
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

/** Of one kill came one certificate, and no more orders than that takes. */
function requireOne(boundary: string, before: ReturnType<KilledApp['count']>): void {
  const { orders, signed } = app.count();
  expect([boundary, signed - before.signed]).toEqual([boundary, 1]);
  expect([boundary, orders - before.orders <= (ORDERED_AGAIN.includes(boundary) ? 2 : 1)]).toEqual([boundary, true]);
}

function tell(what: string, { length }: readonly string[], before: ReturnType<KilledApp['count']>): void {
  const { orders, signed } = app.count();
  console.log(`${what}: ${length} kills, ${orders - before.orders} orders, ${signed - before.signed} certificates`);
}

/** Each renewal is killed once. Meanwhile the one before is served, and the page answers. */
async function renewThrough(boundaries: readonly string[], name: string, certificateId: string): Promise<void> {
  const { get, renew } = app.client.certificates;
  let { serial } = await get.query({ certificateId });
  for (const [index, boundary] of boundaries.entries()) {
    const before = app.count();
    await app.killAt(boundary, () => renew.mutate({ certificateId }), boundaries[index + 1]);
    const servedAtOnce = await app.serialServed(name);
    const renewed = await issuedAfter(certificateId, serial);
    expect([serial, renewed], `killed at ${boundary}`).toContain(servedAtOnce);
    await expect.poll(() => app.serialServed(name), PATIENCE).toBe(renewed);
    expect(await app.page(name)).toMatch(/PAGE$/);
    requireOne(boundary, before);
    serial = renewed;
  }
}

test(`killed at ${RENEWALS.length} steps of a renewal: one certificate comes of it, and the one before serves on`, async () => {
  const { certificateId } = await harbourDomain();
  const before = app.count();
  await renewThrough(RENEWALS, NAME, certificateId);
  tell('Renewals', RENEWALS, before);
  const { history } = await app.client.certificates.get.query({ certificateId });
  const told = history.filter(({ what }) => what === 'issued');
  expect(told.length).toBe(Math.min(50, history.length));
});

test(`killed at ${FIRST.length} steps of a first order: the name has one certificate, and others serve on`, async () => {
  await harbourDomain();
  const before = app.count();
  const serial = await app.serialServed(NAME);
  for (const [index, boundary] of FIRST.entries()) {
    const [name, once] = [`first-${index}.test`, app.count()];
    let domainId = '';
    const act = async () => {
      domainId ||= await addWithZone(name);
      await check(domainId);
    };
    await app.killAt(boundary, act, FIRST[index + 1]);
    expect([boundary, await app.serialServed(NAME)]).toEqual([boundary, serial]);
    const [certificate] = (await app.client.certificates.list.query({ domainId })).items;
    const issued = await issuedAfter(certificate?.id ?? '', null);
    await expect.poll(() => app.serialServed(name), PATIENCE).toBe(issued);
    expect(await app.page(name)).toMatch(/PAGE$/);
    requireOne(boundary, once);
  }
  tell('First orders', FIRST, before);
});

test(`killed at ${BY_DNS.length} steps of an order by DNS: one certificate comes of it, the zone is as it was, and the one before serves on`, async () => {
  const { certificateId } = await activeDomain(HELD);
  const before = app.count();
  await renewThrough(BY_DNS, HELD, certificateId);
  tell('Orders by DNS', BY_DNS, before);
  const { history } = await app.client.certificates.get.query({ certificateId });
  expect(history.find(({ what }) => what === 'issued')?.detail).toContain('Proved through your DNS connection.');
  const left = async () => [await textsAt(app.server, CHALLENGE, HELD), await app.rows('challenge_records')];
  await expect.poll(left, PATIENCE).toEqual([[FOREIGN], 0]);
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
    await app.killAt(boundary, () => client.domains.applyPlan.mutate({ planId }));
    await ended('applying', 'applied');
    written ??= await zone();
    expect([boundary, await zone()]).toEqual([boundary, written]);
    expect(written).toEqual(expect.arrayContaining(before.filter((line) => !line.includes('203.0.113.9'))));
    const undo = () => client.domains.undoPlan.mutate({ planId });
    if (IS_FULL) await app.killAt(boundary, undo, CHANGES[index + 1]);
    else await undo();
    await ended('undoing', undefined);
    expect([boundary, await zone()]).toEqual([boundary, before]);
  }
  console.log(`Changes of records: ${CHANGES.length * (IS_FULL ? 2 : 1)} kills`);
});
