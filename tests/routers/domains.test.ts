import { afterAll, expect, test } from 'vitest';
import { setCount } from '../../server/account/rate-limit.ts';
import { DnsChangeModel } from '../../server/database/models/domains/dns-change.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { newId } from '../../server/database/mongo.ts';
import { createDomainApp, livePerson } from '../support/domain-app.ts';
import { HERE, setsOf, startDomainLab, type ZoneSets } from '../support/domain-lab.ts';
import { get } from '../support/get.ts';
import { setPlan } from '../support/plans.ts';
import { storeLive } from '../support/publishing.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

test('a name is claimed, proved, served before its records lead here, and then active', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Shop');
  await lab.zone('shop.test');
  const added = await caller.domains.add({ deploymentId, name: 'https://Shop.test/start' });
  expect(added).toMatchObject({
    name: 'shop.test',
    counterpart: 'www.shop.test',
    servedName: 'shop.test',
    state: 'unverified',
    proof: { type: 'TXT', name: '_fairlead.shop.test' },
    checkedAt: null,
  });
  expect(added.records.map(({ type, name, value, state }) => [type, name, value, state])).toEqual([
    ['TXT', '_fairlead.shop.test', added.proof.value, 'missing'],
    ['A', 'shop.test', HERE, 'missing'],
    ['CNAME', 'www.shop.test', 'shop.test', 'missing'],
  ]);
  const later = await caller.domains.add({ deploymentId, name: 'müller.test' });
  expect([added.unicodeName, later.unicodeName]).toEqual([undefined, 'müller.test']);
  const listed = async () => (await caller.domains.list({ deploymentId })).items.map(({ name }) => name);
  expect(await listed()).toEqual(['xn--mller-kva.test', 'shop.test']);
  const [proof, ...route] = added.records;
  await lab.write('shop.test', setsOf(proof === undefined ? [] : [proof]));
  const proved = await caller.domains.check({ domainId: added.id });
  expect(proved).toMatchObject({ state: 'pending_dns', expiresAt: null });
  const visit = () => get(app.host.address.port, 'shop.test', '/');
  await expect.poll(async () => (await visit()).text).toBe('Shop');

  await lab.write('shop.test', setsOf(route));
  app.clock.advance(2_000);
  const active = await caller.domains.check({ domainId: added.id });
  expect(active).toMatchObject({ state: 'active', pointedNames: ['shop.test', 'www.shop.test'], problem: null });
  expect(active.records.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  expect(active.records[1]?.seen.filter(({ isAuthority }) => isAuthority)).toEqual([
    expect.objectContaining({ address: '127.0.0.3', values: [HERE], ttl: 60, error: null }),
    expect.objectContaining({ address: '127.0.0.4', values: [HERE], ttl: 60, error: null }),
  ]);
  // A look that finds nothing new moves nothing in the list, unlike what has happened.
  await caller.domains.check({ domainId: later.id });
  expect(await listed()).toEqual(['shop.test', 'xn--mller-kva.test']);
  const { items } = await caller.domains.list({ deploymentId });
  expect(items[0]?.records).toEqual(active.records.map((record) => ({ ...record, seen: [] })));
});

test('a record that one of two name servers has is partly there, and moves nothing', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Partly');
  await lab.zone('partly.test');
  const added = await caller.domains.add({ deploymentId, name: 'partly.test' });
  await lab.write('partly.test', setsOf(added.records), { onOne: true });
  const seen = await caller.domains.check({ domainId: added.id });
  expect([seen.state, seen.records.map(({ state }) => state)]).toEqual(['unverified', ['partly', 'partly', 'partly']]);
  const below = await caller.domains.add({ deploymentId, name: 'below.partly.test' });
  const checked = await caller.domains.check({ domainId: below.id });
  expect([below, checked, seen].map(({ zone }) => zone)).toEqual([undefined, 'partly.test', 'partly.test']);
});

test('what another hand changes is said, with the change, by an event and a mail, and heals', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Changed');
  await lab.zone('changed.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'changed.test' });
  await lab.write('changed.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');

  await lab.write('changed.test', { 'changed.test A': ['203.0.113.9'] });
  app.clock.advance(2_000);
  const broken = await caller.domains.check({ domainId });
  expect([broken.state, broken.problem?.message]).toEqual([
    'misconfigured',
    'The A record of changed.test was changed: it is 203.0.113.9 now.',
  ]);
  app.clock.advance(2_000);
  const again = await caller.domains.check({ domainId });
  expect(again.problem).toEqual(broken.problem);
  // It is served all the same: some visitors still have the old address.
  expect((await get(app.host.address.port, 'changed.test', '/')).text).toBe('Changed');

  await lab.write('changed.test', { 'changed.test A': [HERE] });
  app.clock.advance(2_000);
  expect(await caller.domains.check({ domainId })).toMatchObject({ state: 'active', problem: null });
  expect(person.user.id).toBeTruthy();

  await lab.write('changed.test', { 'changed.test A': [HERE, '203.0.113.9'] }, { onOne: true });
  app.clock.advance(2_000);
  expect((await caller.domains.check({ domainId })).problem?.message).toBe(
    `Not all name servers have the A record of changed.test any more: ns1.changed.test answered ${HERE}, 203.0.113.9.`,
  );
});

test('a name that another account has proved is claimed without a word, and lost once its proof is seen', async () => {
  await using app = await createDomainApp(lab);
  const owner = await livePerson(app, 'Owner');
  const other = await livePerson(app, 'Other');
  await lab.zone('held.test');
  const held = await owner.caller.domains.add({ deploymentId: owner.deploymentId, name: 'held.test' });
  await lab.write('held.test', setsOf(held.records));
  await owner.caller.domains.check({ domainId: held.id });
  await lab.write('held.test', { '_fairlead.held.test TXT': [] });

  const claim = await other.caller.domains.add({ deploymentId: other.deploymentId, name: 'www.held.test' });
  expect(claim).toMatchObject({ state: 'unverified', servedName: 'www.held.test' });
  expect(await other.caller.domains.check({ domainId: claim.id })).not.toHaveProperty('lostTo');
  await expect(other.caller.domains.get({ domainId: held.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });

  await lab.write('held.test', { '_fairlead.held.test TXT': [`"${held.proof.value}"`] });
  app.clock.advance(2_000);
  expect(await other.caller.domains.check({ domainId: claim.id })).toMatchObject({
    state: 'unverified',
    lostTo: 'another account',
  });
  await other.caller.domains.add({ deploymentId: other.deploymentId, name: 'new.test' });
  expect((await other.caller.domains.list({ isBroken: true })).items.map(({ id }) => id)).toEqual([claim.id]);
  app.clock.advance(2_000);
  expect((await owner.caller.domains.check({ domainId: held.id })).state).toBe('active');
});

test('a name goes to whoever proves it once the proof of its holder is gone, as after a sale', async () => {
  await using app = await createDomainApp(lab);
  const seller = await livePerson(app, 'Seller');
  const buyer = await livePerson(app, 'Buyer');
  await lab.zone('sold.test');
  const before = await seller.caller.domains.add({ deploymentId: seller.deploymentId, name: 'sold.test' });
  await lab.write('sold.test', setsOf(before.records));
  await seller.caller.domains.check({ domainId: before.id });
  expect((await seller.caller.certificates.list()).items).toHaveLength(1);

  const after = await buyer.caller.domains.add({ deploymentId: buyer.deploymentId, name: 'sold.test' });
  await lab.write('sold.test', setsOf(after.records));
  expect((await buyer.caller.domains.check({ domainId: after.id })).state).toBe('active');
  expect(await seller.caller.domains.get({ domainId: before.id })).toMatchObject({
    state: 'unverified',
    lostTo: 'another account',
    provedAt: null,
  });
  expect((await seller.caller.certificates.list()).items).toEqual([]);
  await expect.poll(async () => (await get(app.host.address.port, 'sold.test', '/')).text).toBe('Buyer');
  const again = await seller.caller.domains.add({ deploymentId: seller.deploymentId, name: 'sold.test' });
  expect(again).not.toHaveProperty('lostTo');
  await expect(seller.caller.domains.get({ domainId: before.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(seller.caller.domains.add({ deploymentId: seller.deploymentId, name: 'sold.test' })).rejects.toThrow(
    'You have already added sold.test',
  );
});

const NOT_TAKEN = [
  ['localhost', 'Type a domain name like example.com'],
  ['co.uk', 'co.uk is an ending that many domains share. Type the whole name, like example.co.uk.'],
  ['github.io', 'github.io is an ending that many domains share. Type the whole name, like example.github.io.'],
  ['shop.localhost', 'Names below .localhost are not in the DNS. Use a domain that you have registered.'],
  ['printer.local', 'Names below .local are not in the DNS. Use a domain that you have registered.'],
] as const;

test('names that nobody can own below the root are not taken', async () => {
  await using app = await createDomainApp(lab);
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Refused', platform: 'built-in' });
  for (const [name, message] of NOT_TAKEN) {
    await expect(person.caller.domains.add({ deploymentId, name }), name).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
    });
  }
});

test('a unit is added once, and the app keeps its own names and those of the sites', async () => {
  await using app = await createDomainApp(lab);
  Object.assign(app.providers.addresses, { publicUrl: 'https://app.ours.test', sitesDomain: 'sites.test' });
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Once', platform: 'built-in' });
  await person.caller.domains.add({ deploymentId, name: 'once.test' });
  for (const [name, message] of [
    ['www.once.test', 'You have already added once.test and www.once.test for Once.'],
    ['ours.test', 'ours.test belongs to this Fairlead itself. Use another domain.'],
    ['x.sites.test', 'Names below sites.test are addresses of this Fairlead. Use a domain of your own.'],
  ] as const) {
    await expect(person.caller.domains.add({ deploymentId, name })).rejects.toMatchObject({ message });
  }
});

test('what is known against a name is told before anything is made, and of others nothing', async () => {
  await using app = await createDomainApp(lab);
  const other = await app.trialPerson();
  const { id: othersId } = await other.caller.deployments.create({ name: 'Other', platform: 'built-in' });
  await other.caller.domains.add({ deploymentId: othersId, name: 'others.test' });
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Asked', platform: 'built-in' });
  await caller.domains.add({ deploymentId, name: 'asked.test' });

  const checked = (name: string) => caller.domains.checkName({ name });
  expect(await checked('HTTPS://New.test/start')).toEqual({
    name: 'new.test',
    counterpart: 'www.new.test',
    problem: null,
  });
  expect(await checked('others.test')).toMatchObject({ problem: null });
  expect(await checked('www.asked.test')).toMatchObject({
    problem: 'You have already added asked.test and www.asked.test for Asked.',
  });
  expect(await checked('co.uk')).toMatchObject({
    problem: 'co.uk is an ending that many domains share. Type the whole name, like example.co.uk.',
  });
  await expect(checked('not a domain')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await caller.domains.list({ deploymentId })).items).toHaveLength(1);
});

test('a plan caps the domains of a deployment, also for two clicks at once', async () => {
  await using app = await createDomainApp(lab);
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Capped', platform: 'built-in' });
  await DomainModel.init();
  const { SubscriptionModel } = await import('../../server/database/models/plans/subscription.ts');
  await SubscriptionModel.updateOne({ accountId: person.user.id }, { $set: { plan: 'BASIC' } });
  const tries = ['one.test', 'two.test', 'three.test'].map((name) => person.caller.domains.add({ deploymentId, name }));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  for (const error of refused) {
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^The Basic plan allows 1 custom domain for a deployment\./),
    });
  }
});

test('www and what is below it change places once both lead here', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Places');
  await lab.zone('places.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'places.test' });
  await lab.write('places.test', setsOf(records.filter(({ name }) => name !== 'www.places.test')));
  expect((await caller.domains.check({ domainId })).pointedNames).toEqual(['places.test']);
  await expect(caller.domains.update({ domainId, servedName: 'www.places.test' })).rejects.toMatchObject({
    message: 'www.places.test does not point here yet: visitors of places.test would find nothing.',
  });
  await lab.write('places.test', setsOf(records));
  app.clock.advance(2_000);
  await caller.domains.check({ domainId });
  expect((await caller.domains.update({ domainId, servedName: 'www.places.test' })).servedName).toBe('www.places.test');
  const { port } = app.host.address;
  await expect.poll(async () => (await get(port, 'www.places.test', '/')).text).toBe('Places');
  expect((await get(port, 'places.test', '/')).headers.location).toBe('http://www.places.test/');
});

test('an update that changes nothing does nothing, and others are counted', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Toggled');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'toggled.test' });
  const before = await DomainModel.findOne({ _id: domainId, accountId: person.user.id });
  app.clock.advance(2_000);
  // All but one of the thirty of a minute.
  await setCount({ name: 'domain-updates', key: person.user.id, count: 29, windowMs: 60_000 });
  for (const _ of [1, 2]) await caller.domains.update({ domainId, servedName: 'toggled.test' });
  const after = await DomainModel.findOne({ _id: domainId, accountId: person.user.id });
  expect(after?.quickFrom).toEqual(before?.quickFrom);
  await caller.domains.update({ domainId, servedName: 'www.toggled.test' });
  const once = caller.domains.update({ domainId, servedName: 'toggled.test' });
  await expect(once).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
});

test('a name moves to another deployment of the account, without a request that fails', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'From');
  await lab.zone('moves.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'moves.test' });
  await lab.write('moves.test', setsOf(records));
  await caller.domains.check({ domainId });
  const empty = await caller.deployments.create({ name: 'Empty', platform: 'built-in' });
  await expect(caller.domains.update({ domainId, deploymentId: empty.id })).rejects.toMatchObject({
    message: 'Empty is not live yet: visitors of moves.test would find nothing.',
  });
  await storeLive(app, empty, { 'index.html': 'To' });
  const seen: string[] = [];
  const visitor = (async () => {
    while (seen.at(-1) !== 'To') seen.push((await get(app.host.address.port, 'moves.test', '/')).text);
  })();
  const before = await caller.domains.get({ domainId });
  const moved = await caller.domains.update({ domainId, deploymentId: empty.id });
  expect(moved.changedAt > before.changedAt).toBe(true);
  await visitor;
  expect(seen.filter((text) => text !== 'From' && text !== 'To')).toEqual([]);
});

test('of two moves at once the second is told of the first, or that the name is there', async () => {
  await using app = await createDomainApp(lab);
  const { caller } = await app.trialPerson();
  const create = async (name: string) => (await caller.deployments.create({ name, platform: 'built-in' })).id;
  const from = await create('Start');
  const one = await create('One');
  const two = await create('Two');
  const { id: domainId } = await caller.domains.add({ deploymentId: from, name: 'twice.test' });
  const move = (...to: string[]) =>
    Promise.allSettled(to.map((deploymentId) => caller.domains.update({ domainId, deploymentId })));
  const apart = await move(one, two);
  expect(apart.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))).toMatchObject([
    { code: 'CONFLICT', message: expect.stringContaining('twice.test was moved in the meantime.') },
  ]);
  const together = await move(from, from);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});

test('a name that was removed is served no longer, and its records are named', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Removed');
  await lab.zone('removed.test');
  const first = await caller.domains.add({ deploymentId, name: 'removed.test' });
  await lab.write('removed.test', setsOf(first.records));
  await caller.domains.check({ domainId: first.id });
  expect((await caller.domains.remove({ domainId: first.id })).deleteFirst.map(({ type }) => type)).toEqual([
    'TXT',
    'A',
    'CNAME',
  ]);
  await expect.poll(async () => (await get(app.host.address.port, 'removed.test', '/')).status).toBe(404);
  const second = await caller.domains.add({ deploymentId, name: 'removed.test' });
  expect(second.proof.value).not.toBe(first.proof.value);
  expect((await caller.domains.check({ domainId: second.id })).state).toBe('unverified');
});

test('of a removed name the records are named that exist, with the address that www has of its own', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Left');
  const { id: domainId, records, proof } = await caller.domains.add({ deploymentId, name: 'left.test' });
  const ours = setsOf(records.filter(({ type }) => type !== 'CNAME'));
  await lab.zone('left.test', { ...ours, 'www.left.test A': [HERE] });
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  // All were written by a plan; since then the alias became an address, and the second address was deleted by hand.
  const wrote = [...records, { type: 'A' as const, name: 'left.test', value: '192.0.2.77' }];
  const changes = wrote.map(({ type, name, value }) => ({
    ...{ action: 'add', type, name, before: null, after: { ttl: 300, values: [value] } },
  }));
  const plan = { accountId: person.user.id, domainId, connectionId: 'none', zone: {}, expiresAt: new Date(8e12) };
  await DnsChangeModel.create({ _id: newId(), ...plan, state: 'applied', changes, conflicts: [] });
  expect((await caller.domains.remove({ domainId })).deleteFirst).toEqual([
    { type: 'TXT', name: '_fairlead.left.test', value: proof.value },
    { type: 'A', name: 'left.test', value: HERE },
    { type: 'A', name: 'www.left.test', value: HERE },
  ]);
});

test('a plan that failed before another one was undone does not come back', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Undone');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'undone.test' });
  const fields = { accountId: person.user.id, domainId, connectionId: newId(), zone: { name: 'undone.test' } };
  const plan = { ...fields, changes: [], conflicts: [], expiresAt: new Date(8e12) };
  const store = (state: 'applied' | 'failed' | 'undone', updatedAt: Date) =>
    DnsChangeModel.insertMany([{ ...plan, _id: newId(), state, updatedAt }], { timestamps: false });
  await store('applied', new Date('2026-11-01'));
  await store('failed', new Date('2026-11-02'));
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'failed' });
  await store('undone', new Date('2026-11-03'));
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'applied' });
});

test('names that were claimed in the trial are counted once more when they are proved', async () => {
  await using app = await createDomainApp(lab);
  const person = await livePerson(app, 'Capped');
  const { caller, deploymentId } = person;
  const names = ['one.test', 'two.test'] as const;
  const ids: string[] = [];
  for (const name of names) {
    await lab.zone(name);
    const { id, records } = await caller.domains.add({ deploymentId, name });
    await lab.write(name, setsOf(records));
    ids.push(id);
  }
  await setPlan(person.person, 'BASIC');

  const checked = await Promise.all(ids.map((domainId) => caller.domains.check({ domainId })));

  expect(checked.map(({ state }) => state).sort()).toEqual(['active', 'unverified']);
  const refused = checked.find(({ state }) => state === 'unverified') ?? expect.fail('Both were taken.');
  expect(refused.problem).toMatchObject({
    code: 'domain_limit_reached',
    message: `${refused.name} is proved to be yours, but Basic allows 1 custom domain for a deployment.`,
  });
  await setPlan(person.person, 'PRO');
  app.clock.advance(2_000);
  expect(await caller.domains.check({ domainId: refused.id })).toMatchObject({ state: 'active', problem: null });
});

test('a deployment that is deleted takes the certificates of its domains with it', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Deleted');
  await lab.zone('deleted.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'deleted.test' });
  await lab.write('deleted.test', setsOf(records));
  await caller.domains.check({ domainId });
  expect((await caller.certificates.list()).items).toHaveLength(1);
  await caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect((await caller.certificates.list()).items).toEqual([]);
});

test('what stands in the way is named', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Obstacles');
  const problemOf = async (name: string) => {
    const { id: domainId } = await caller.domains.add({ deploymentId, name });
    return { domainId, ...(await caller.domains.check({ domainId })) };
  };
  expect((await problemOf('nowhere.test')).problem?.code).toBe('zone_missing');
  await lab.zone('stray.test', { 'stray.test A': [HERE], 'stray.test AAAA': ['2001:db8::9'] });
  expect((await problemOf('stray.test')).problem).toMatchObject({
    code: 'aaaa_elsewhere',
    hint: 'Remove the AAAA record of stray.test.',
  });
  const behind = { 'behind.test A': [HERE], 'behind.test AAAA': ['2001:db8::9'] };
  await lab.zone('behind.test', { ...behind, 'www.behind.test CNAME': ['behind.test.'] });
  expect(await problemOf('www.behind.test')).toMatchObject({
    ...{ state: 'unverified', provedAt: null },
    problem: { code: 'aaaa_elsewhere', hint: 'Remove the AAAA record of behind.test.' },
  });
  await lab.zone('doubled.test');
  const { id: domainId, proof } = await caller.domains.add({ deploymentId, name: 'doubled.test' });
  await lab.write('doubled.test', { [`${proof.name}.doubled.test TXT`]: [`"${proof.value}"`] });
  expect((await caller.domains.check({ domainId })).problem).toMatchObject({
    code: 'name_doubled',
    message: `The proof is at _fairlead.doubled.test.doubled.test: the domain is in that name twice.`,
  });
  // Once the proof is right, it is the next one; and www alone, whose site is there without it.
  const check = async (sets: ZoneSets) => {
    await lab.write('doubled.test', sets);
    app.clock.advance(2_000);
    return caller.domains.check({ domainId });
  };
  const twice = (code: string, at: string) => ({ code, message: expect.stringContaining(`record at ${at} has`) });
  expect(
    await check({ [`${proof.name} TXT`]: [`"${proof.value}"`], 'doubled.test.doubled.test A': [HERE] }),
  ).toMatchObject({ state: 'pending_dns', problem: twice('doubled_name', 'doubled.test.doubled.test') });
  expect(
    await check({ 'doubled.test A': [HERE], 'www.doubled.test.doubled.test CNAME': ['doubled.test.'] }),
  ).toMatchObject({ state: 'active', problem: twice('doubled_name', 'www.doubled.test.doubled.test') });
});
