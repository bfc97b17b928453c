import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATE_BOUNDARIES, DNS_CERTIFICATE_BOUNDARIES, DNS_CHANGE_BOUNDARIES } from '../support/boundaries.ts';
import { FOREIGN, textsAt } from '../support/dns-challenge-world.ts';
import { type KilledApp, PATIENCE, startKilledApp } from '../support/killed-app.ts';
import { setsIn } from '../support/record-plans.ts';
import { IS_FULL } from '../support/size.ts';

const TIMES = IS_FULL ? 20 : 1;
/** One kill is one for each of those that have come there. */
const AT_ONCE = IS_FULL ? 10 : 1;
/**
 * The boundary where a second certificate would most easily be ordered: the authority has signed, and nothing of it is
 * stored.
 */
const SIGNED = 'certificate:signed';
/** The answer is in the zone, and nobody is there to take it away. */
const IN_ZONE = 'certificate:challenge-written';
/** The provider has the records, and we do not know it. */
const SENT = 'dns-change:sent';
/**
 * The authority has looked while nobody was there to answer: no certificate comes of such an order, and another is
 * placed.
 */
const ORDERED_AGAIN = 'certificate:answered';
const names = (from: string): string[] => Array.from({ length: AT_ONCE }, (_, index) => `${from}-${index}.test`);
const NAMES = names('harbour');
/** Proved through the DNS connection: their `www` leads nowhere. */
const HELD = names('quay');
const challengeOf = (name: string): string => `_acme-challenge.${name}`;
/** Their records are written through the DNS connection, those of the second at a second try of the test. */
const PLANNED = [names('pier'), names('jetty')] as const;

/** Every boundary twenty times in the full size; in the gate the worst one once. */
const kills = (boundaries: readonly string[], worst: string): readonly string[] =>
  IS_FULL ? Array.from({ length: TIMES / AT_ONCE }, () => boundaries).flat() : [worst];
const RENEWALS = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const FIRST = kills(CERTIFICATE_BOUNDARIES, SIGNED);
const BY_DNS = kills(DNS_CERTIFICATE_BOUNDARIES, IN_ZONE);
/** One order is killed ten times in a row, twice where the authority has signed. */
const IN_A_ROW = CERTIFICATE_BOUNDARIES.flatMap((boundary) =>
  boundary === SIGNED ? [boundary, boundary] : [boundary],
);
const CHANGES = kills(DNS_CHANGE_BOUNDARIES, SENT);

let app: KilledApp;
beforeAll(async () => {
  app = await startKilledApp({
    ends: IS_FULL ? RENEWALS.slice(0, 1) : [SIGNED, IN_ZONE, SENT],
    runs: AT_ONCE,
    held: [...HELD, ...PLANNED.flat()],
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

let harbour: ReturnType<typeof activeDomains> | undefined;
const harbourDomains = () => {
  harbour ??= activeDomains(NAMES);
  return harbour;
};

/** A server of these zones that makes two at once refuses one of them. */
let zonesMade: Promise<unknown> = Promise.resolve();

/** Adds a domain, and makes its zone with all that it asks for. */
async function addWithZone(name: string): Promise<string> {
  const { id: domainId, proof } = await app.client.domains.add.mutate({ deploymentId: app.deploymentId, name });
  const proved = { [`${name} A`]: ['127.0.0.1'], [`${proof.name} TXT`]: [`"${proof.value}"`] };
  const makeZone = () =>
    HELD.includes(name)
      ? makeHeldZone(name, { ...proved, [`${challengeOf(name)} TXT`]: [`"${FOREIGN}"`] })
      : app.registry.createZone(name, { [`${name} NS`]: ['ns.test.'], ...proved });
  const made = zonesMade.then(makeZone, makeZone);
  zonesMade = made;
  await made;
  return domainId;
}

/** A zone that the DNS connection writes to. */
function makeHeldZone(zone: string, sets: Record<string, string[]>): Promise<void> {
  const servers = { [`${zone} NS`]: [`ns1.${zone}.`], [`ns1.${zone} A`]: [app.heldAt] };
  return app.server.createZone(zone, { ...servers, ...sets });
}

/** A second look within a second answers what the first has seen. */
const SLOWLY = { ...PATIENCE, interval: 1_000 };
const check = (domainId: string) => app.client.domains.check.mutate({ domainId });

/** `serial`: of what was served last. */
type Certified = { name: string; domainId: string; serial: string | null };

const certificatesOf = async (certified: readonly Certified[]) => {
  const domainIds = certified.map(({ domainId }) => domainId);
  return (await app.client.certificates.list.query({ domainIds })).items;
};

/** Domains whose certificates are served. */
function activeDomains(names: readonly string[]): Promise<Certified[]> {
  return Promise.all(
    names.map(async (name) => {
      const one: Certified = { name, domainId: await addWithZone(name), serial: null };
      await expect.poll(async () => (await check(one.domainId)).state, SLOWLY).toBe('active');
      const find = async () => (await certificatesOf([one]))[0];
      await expect.poll(async () => (await find())?.state, SLOWLY).toBe('issued');
      // Its `www` leads nowhere, and is proved by the connection.
      const covered = HELD.includes(name) ? [name, `www.${name}`] : [name];
      const found = await find();
      expect(found?.names).toEqual(covered);
      one.serial = found?.serial ?? null;
      await expect.poll(() => app.serialServed(covered.at(-1) ?? ''), PATIENCE).toBe(one.serial);
      return one;
    }),
  );
}

/**
 * Waits until all certificates are issued and served. Until then their page says that they are on the way, or what the
 * problem is and when they are tried again.
 */
async function requireIssued(certified: readonly Certified[]): Promise<void> {
  const untold: unknown[] = [];
  const onTheWay = (before: string | null) => (before === null ? ['pending', 'validating'] : ['renewing', 'issued']);
  const waited = new Map(certified.map((one) => [one.domainId, one]));
  const look = async () => {
    for (const { domainId, state, serial, problem, nextTryAt } of await certificatesOf([...waited.values()])) {
      const one = waited.get(domainId);
      if (one === undefined) continue;
      if (state === 'issued' && serial !== one.serial) {
        one.serial = serial;
        waited.delete(domainId);
      } else {
        const isTold =
          problem === null ? onTheWay(one.serial).includes(state) : problem.message !== '' && nextTryAt !== null;
        if (!isTold) untold.push({ state, problem, nextTryAt });
      }
    }
    return [...waited.values()].map(({ name }) => name);
  };
  await expect.poll(look, PATIENCE).toEqual([]);
  expect(untold).toEqual([]);
  for (const { name, serial } of certified) {
    await expect.poll(() => app.serialServed(name), PATIENCE).toBe(serial);
    expect(await app.page(name)).toMatch(/PAGE$/);
  }
}

/** Expects one certificate from each order that was killed, and no more orders than that takes. */
async function requireOneEach(
  boundary: string,
  certified: readonly Certified[],
  before: ReturnType<KilledApp['count']>,
): Promise<void> {
  const { orders, signed } = app.count();
  const most = AT_ONCE * (boundary === ORDERED_AGAIN ? 2 : 1);
  expect([boundary, signed - before.signed]).toEqual([boundary, AT_ONCE]);
  if (orders - before.orders > most)
    throw new Error(`${orders - before.orders} orders at ${boundary}:\n${await historiesOf(certified)}`);
}

/** Returns their latest histories, and the problems that the authority has found: a killed run stores none. */
async function historiesOf(certified: readonly Certified[]): Promise<string> {
  const found = await certificatesOf(certified);
  const all = await Promise.all(found.map(({ id }) => app.client.certificates.get.query({ certificateId: id })));
  const lines = all.map(({ names, history }) => JSON.stringify([names, history.slice(0, 3)]));
  return [...lines, ...app.problems()].join('\n');
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
  const ids = (await certificatesOf(certified)).map(({ id }) => id);
  for (const [index, boundary] of boundaries.entries()) {
    const before = app.count();
    const acts = ids.map((certificateId) => () => renew.mutate({ certificateId }));
    await app.killAt(boundary, acts, boundaries[index + 1]);
    const served = await Promise.all(
      certified.map(async ({ name, serial }) => ({ before: serial, atOnce: await app.serialServed(name) })),
    );
    await requireIssued(certified);
    for (const [at, { before, atOnce }] of served.entries()) {
      expect([before, certified[at]?.serial], `killed at ${boundary}`).toContain(atOnce);
    }
    await requireOneEach(boundary, certified, before);
  }
}

test(`killed at ${RENEWALS.length} steps of renewals: one certificate comes of each, and the one before serves on`, async () => {
  const certified = await harbourDomains();
  const before = app.count();
  await renewThrough(RENEWALS, certified);
  tell('Renewals', RENEWALS, before);
  for (const { id: certificateId } of await certificatesOf(certified)) {
    const { history } = await app.client.certificates.get.query({ certificateId });
    const told = history.filter(({ what }) => what === 'issued');
    expect(told.length).toBe(Math.min(50, history.length));
  }
});

// The gate kills a renewal there, which is ordered by the same work.
if (IS_FULL)
  test(`killed at ${FIRST.length} steps of first orders: each name has one certificate, and others serve on`, async () => {
    const [harbour] = await harbourDomains();
    if (harbour === undefined) throw new Error('Nothing serves on.');
    const before = app.count();
    for (const [index, boundary] of FIRST.entries()) {
      const once = app.count();
      const added: Certified[] = names(`first-${index}`).map((name) => ({ name, domainId: '', serial: null }));
      const acts = added.map((one) => async () => {
        one.domainId ||= await addWithZone(one.name);
        await check(one.domainId);
      });
      await app.killAt(boundary, acts, FIRST[index + 1]);
      expect([boundary, await app.serialServed(harbour.name)]).toEqual([boundary, harbour.serial]);
      await requireIssued(added);
      await requireOneEach(boundary, added, once);
    }
    tell('First orders', FIRST, before);
  });

if (IS_FULL)
  test(`one order killed ${IN_A_ROW.length} times in a row ends with one certificate`, async () => {
    const before = { ...app.count(), validations: app.validations() };
    const one: Certified = { name: 'buoy.test', domainId: '', serial: null };
    await app.killThrough(IN_A_ROW, async () => {
      one.domainId ||= await addWithZone(one.name);
      await check(one.domainId);
    });
    await requireIssued([one]);
    const { orders, signed } = app.count();
    const validations = app.validations() - before.validations;
    console.log(`In a row: ${IN_A_ROW.length} kills, ${orders - before.orders} orders, ${validations} validations`);
    expect(signed - before.signed).toBe(1);
    expect(orders - before.orders).toBeLessThanOrEqual(2);
    expect(validations).toBeLessThanOrEqual(2);
  });

test(`killed at ${BY_DNS.length} steps of orders by DNS: one certificate comes of each, the zones are as they were, and the one before serves on`, async () => {
  const certified = await activeDomains(HELD);
  const before = app.count();
  await renewThrough(BY_DNS, certified);
  tell('Orders by DNS', BY_DNS, before);
  for (const { id: certificateId } of await certificatesOf(certified)) {
    const { history } = await app.client.certificates.get.query({ certificateId });
    expect(history.find(({ what }) => what === 'issued')?.detail).toContain(
      'The proof was written through your DNS connection.',
    );
  }
  for (const { name } of certified) {
    await expect.poll(() => textsAt(app.server, challengeOf(name), name), PATIENCE).toEqual([FOREIGN]);
  }
  await expect.poll(() => app.rows('challenge_records'), PATIENCE).toBe(0);
});

test(`killed at ${CHANGES.length} steps of changes of records: each is written to the end, put back to the end, and touches nothing else`, async ({
  task,
}) => {
  const { client, server } = app;
  // By the first order it is known that the authority takes persistent records, which all plans have from then on.
  await harbourDomains();
  const planned = PLANNED[task.result?.retryCount === 1 ? 1 : 0];
  for (const name of planned) {
    await makeHeldZone(name, { [`${name} A`]: ['203.0.113.9'], [`${name} MX`]: [`10 mail.${name}.`] });
  }
  const zones = () => Promise.all(planned.map((name) => setsIn(server, name)));
  const before = await zones();
  const domainIds: string[] = [];
  for (const name of planned) {
    domainIds.push((await client.domains.add.mutate({ deploymentId: app.deploymentId, name })).id);
  }
  /** Their pages say so until all have ended. */
  const ended = async (during: 'applying' | 'undoing', end: 'applied' | undefined) => {
    const untold: unknown[] = [];
    const look = async (domainId: string) => {
      const plan = await client.domains.lastPlan.query({ domainId });
      if (plan?.state !== end && (plan?.state !== during || plan.error !== null)) untold.push(plan);
      return plan?.state;
    };
    for (const domainId of domainIds) await expect.poll(() => look(domainId), PATIENCE).toBe(end);
    expect(untold).toEqual([]);
  };
  /** An order may write its proof into a zone, which is no change of records: none is under way when zones are compared. */
  const certified = async () => {
    const { items } = await client.certificates.list.query({ domainIds });
    return items.filter(({ state }) => state === 'issued').length;
  };
  let written: string[][] | undefined;
  for (const [index, boundary] of CHANGES.entries()) {
    const planIds: string[] = [];
    for (const domainId of domainIds) planIds.push((await client.domains.plan.mutate({ domainId })).planId);
    const apply = planIds.map((planId) => () => client.domains.applyPlan.mutate({ planId }));
    await app.killAt(boundary, apply);
    await ended('applying', 'applied');
    await expect.poll(certified, PATIENCE).toBe(AT_ONCE);
    written ??= await zones();
    expect([boundary, await zones()]).toEqual([boundary, written]);
    const untouched = before.flat().filter((line) => !line.includes('203.0.113.9'));
    expect(written.flat()).toEqual(expect.arrayContaining(untouched));
    const undo = planIds.map((planId) => () => client.domains.undoPlan.mutate({ planId }));
    if (IS_FULL) await app.killAt(boundary, undo, CHANGES[index + 1]);
    else for (const act of undo) await act();
    await ended('undoing', undefined);
    expect([boundary, await zones()]).toEqual([boundary, before]);
  }
  console.log(`Changes of records: ${CHANGES.length * AT_ONCE * (IS_FULL ? 2 : 1)} kills`);
});
