import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Domain } from '../../routers/schemas/domains.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { MINUTE_MS } from '../../server/lib/durations.ts';
import { createDomainApp, type DomainApp } from '../support/domain-app.ts';
import { type DomainLab, HERE, setsOf, startDomainLab, type ZoneSets } from '../support/domain-lab.ts';
import { type FakeNameServer, startFakeNameServer } from '../support/fake-name-server.ts';
import { freePort } from '../support/free-ports.ts';
import { type NameServer, startBind } from '../support/name-servers.ts';
import { IS_FULL } from '../support/size.ts';

const ELSEWHERE = '203.0.113.9';
/** A false DS: resolvers that validate take nothing of this zone. */
const SIGNED_OTHERWISE = 'bogus.test';

type Fault = {
  fault: string;
  zone: string;
  /** The name that is added; the zone's own when absent. */
  name?: string;
  /** Added to the records of a domain that works; else it is there when the name is added. */
  into: 'working' | 'new';
  inject(zone: string, domain: Domain): Promise<void>;
  state: Domain['state'];
  /** The state at the second check, where one fault may be a bad minute of somebody else's server. */
  later?: Domain['state'];
  code: string;
  message: string;
  /** A fault of each kind is injected always, the others in the full size. */
  isDetail?: boolean;
};

const isTried = ({ isDetail }: { isDetail?: boolean }): boolean => isDetail !== true || IS_FULL;

const FAULTS: readonly Fault[] = [
  {
    fault: 'the name is not registered',
    ...{ zone: 'nobody.test', into: 'new', inject: async () => undefined, state: 'unverified', code: 'zone_missing' },
    message: 'nobody.test is not registered, or its registrar lists no name servers for it.',
  },
  {
    fault: 'the registration ended',
    ...{ zone: 'ended.test', into: 'working', state: 'active', later: 'misconfigured', code: 'zone_missing' },
    inject: (zone) =>
      lab.registry.writeSets('test', { [`${zone} NS`]: [], [`ns1.${zone} A`]: [], [`ns2.${zone} A`]: [] }),
    message: 'ended.test is not registered, or its registrar lists no name servers for it.',
  },
  {
    fault: 'the proof is at a name that ends with the domain twice',
    isDetail: true,
    ...{ zone: 'twice.test', into: 'new', state: 'unverified', code: 'name_doubled' },
    async inject(zone, { proof }) {
      await lab.zone(zone, { [`${proof.name}.${zone} TXT`]: [`"${proof.value}"`] });
    },
    message: 'The proof is at _fairlead.twice.test.twice.test: the domain is in that name twice.',
  },
  {
    fault: 'the proof was cut when it was copied',
    ...{ zone: 'cut.test', into: 'new', state: 'unverified', code: 'proof_differs' },
    async inject(zone, { proof }) {
      await lab.zone(zone, { [`${proof.name} TXT`]: [`"${proof.value.slice(0, -3)}"`] });
    },
    message: 'The text in the TXT record of _fairlead.cut.test is not your proof.',
  },
  {
    fault: 'the registrar has a DS that the zone is not signed by',
    ...{ zone: SIGNED_OTHERWISE, into: 'new', state: 'pending_dns', code: 'dnssec_broken' },
    inject: (zone, { records }) => lab.zone(zone, setsOf(records)),
    message:
      'DNSSEC of bogus.test is broken: resolvers that check signatures refuse every answer, so some of your visitors and the certificate authority see nothing.',
  },
  {
    fault: 'nobody listens at the name servers',
    ...{ zone: 'silent.test', into: 'working', state: 'active', code: 'name_servers_silent' },
    inject: (zone) => lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.8', [`ns2.${zone}`]: '127.0.0.9' }),
    message: 'The name servers of silent.test do not answer.',
  },
  {
    fault: 'the name servers take questions and say nothing',
    isDetail: true,
    ...{ zone: 'timeout.test', into: 'working', state: 'active', code: 'name_servers_silent' },
    inject: (zone) => lab.delegate(zone, { [`ns1.${zone}`]: mute.address, [`ns2.${zone}`]: mute.address }),
    message: 'The name servers of timeout.test do not answer.',
  },
  {
    fault: 'no name server has the zone',
    ...{ zone: 'lame.test', into: 'working', state: 'active', later: 'misconfigured', code: 'name_servers_lame' },
    inject: (zone) => lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.1' }),
    message: 'Visitors of lame.test are sent to name servers that do not know it: ns1.lame.test.',
  },
  {
    fault: 'one of two name servers does not have the zone',
    ...{ zone: 'halflame.test', into: 'working', state: 'active', later: 'active', code: 'name_servers_lame' },
    inject: (zone) => lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.3', [`ns2.${zone}`]: '127.0.0.1' }),
    message: 'Visitors of halflame.test are sent to name servers that do not know it: ns2.halflame.test.',
  },
  {
    fault: 'the name server cannot load the zone',
    ...{
      zone: 'unloaded.test',
      into: 'working',
      state: 'active',
      later: 'misconfigured',
      code: 'name_servers_failing',
    },
    inject: (zone) => lab.delegate(zone, { [`ns1.${zone}`]: '127.0.0.1' }),
    message: 'The name servers of unloaded.test answer with a failure (SERVFAIL).',
  },
  {
    fault: 'the registrar names other name servers',
    ...{ zone: 'moved.test', into: 'working', state: 'misconfigured', code: 'name_servers_changed' },
    async inject(zone) {
      await lab.registry.createZone(zone, { [`${zone} NS`]: ['ns.test.'] });
    },
    message:
      'moved.test has other name servers now: ns.test. The TXT record of _fairlead.moved.test and 2 other records are missing there.',
  },
  {
    fault: 'the address was changed',
    isDetail: true,
    ...{ zone: 'changed.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`${zone} A`]: [ELSEWHERE] }),
    message: 'The A record of changed.test was changed: it is 203.0.113.9 now.',
  },
  {
    fault: 'the address was removed',
    ...{ zone: 'gone.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`${zone} A`]: [] }),
    message: 'The A record of gone.test is gone.',
  },
  {
    fault: 'another address stands beside ours',
    isDetail: true,
    ...{ zone: 'beside.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`${zone} A`]: [HERE, ELSEWHERE] }),
    message: 'The A record of beside.test was changed: it is 192.0.2.10, 203.0.113.9 now.',
  },
  {
    fault: 'one of two name servers has another address',
    ...{ zone: 'differ.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`${zone} A`]: [ELSEWHERE] }, { onOne: true }),
    message: 'Not all name servers have the A record of differ.test any more: ns1.differ.test answered 203.0.113.9.',
  },
  {
    fault: 'an AAAA record leads to another server',
    isDetail: true,
    ...{ zone: 'six.test', into: 'working', state: 'misconfigured', code: 'aaaa_elsewhere' },
    inject: (zone) => lab.write(zone, { [`${zone} AAAA`]: ['2001:db8::9'] }),
    message: 'The AAAA record of six.test points to 2001:db8::9, which is another server.',
  },
  {
    fault: 'the name is an alias of another server',
    ...{ zone: 'alias.test', name: 'app.alias.test' },
    ...{ into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) =>
      lab.write(zone, {
        [`app.${zone} A`]: [],
        [`app.${zone} CNAME`]: [`other.${zone}.`],
        [`other.${zone} A`]: [ELSEWHERE],
      }),
    message: 'app.alias.test is an alias (CNAME) of other.alias.test now, which leads to 203.0.113.9.',
  },
  {
    fault: 'the name is an alias of nothing',
    ...{ zone: 'dangling.test', name: 'app.dangling.test' },
    ...{ into: 'working', state: 'misconfigured', code: 'alias_dangling' },
    inject: (zone) => lab.write(zone, { [`app.${zone} A`]: [], [`app.${zone} CNAME`]: [`given-up.${zone}.`] }),
    message: 'app.dangling.test is an alias (CNAME) of given-up.dangling.test, where no address is found.',
  },
  {
    fault: 'www leads elsewhere',
    isDetail: true,
    ...{ zone: 'wwwelse.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`www.${zone} CNAME`]: [], [`www.${zone} A`]: [ELSEWHERE] }),
    message: 'www.wwwelse.test has an address of its own now, 203.0.113.9, in place of its CNAME record.',
  },
  {
    fault: 'the alias of www was changed',
    isDetail: true,
    ...{ zone: 'wwwgone.test', into: 'working', state: 'misconfigured', code: 'records_changed' },
    inject: (zone) => lab.write(zone, { [`www.${zone} CNAME`]: [`other.${zone}.`], [`other.${zone} A`]: [ELSEWHERE] }),
    message: 'The CNAME record of www.wwwgone.test was changed: it is other.wwwgone.test now.',
  },
  {
    fault: 'the proof was removed',
    ...{ zone: 'unproved.test', into: 'working', state: 'active', later: 'active', code: 'proof_gone' },
    inject: (zone, { proof }) => lab.write(zone, { [`${proof.name} TXT`]: [] }),
    message:
      'The proof at _fairlead.unproved.test is gone. unproved.test keeps working, but another account can claim it.',
  },
];

/** Zones as people have them: each set here is nobody's fault. */
const HEALTHY: readonly {
  what: string;
  sets?: ZoneSets;
  name?: string;
  instead?: ZoneSets;
  isOnOne?: boolean;
  isDetail?: boolean;
}[] = [
  { what: 'nothing else', isDetail: true },
  { what: 'one name server', isOnOne: true },
  {
    what: 'mail, CAA with a contact, a wildcard alias, and a part of the zone that is somebody else’s',
    sets: {
      '@ MX': ['10 mail.example.'],
      '@ TXT': ['"v=spf1 mx -all"'],
      '@ CAA': ['0 iodef "mailto:a@example.com"', '0 issue "ca.test"'],
      '*.@ CNAME': ['elsewhere.example.'],
      'lab.@ NS': ['ns.elsewhere.example.'],
    },
  },
  {
    what: 'DMARC and DKIM',
    isDetail: true,
    sets: { '_dmarc.@ TXT': ['"v=DMARC1; p=none"'], 'k1._domainkey.@ TXT': ['"k=rsa; p=AA"'] },
  },
  { what: 'CAA that allows an authority', sets: { '@ CAA': ['0 issue "letsencrypt.org"'] }, isDetail: true },
  { what: 'a wildcard to elsewhere', sets: { '*.@ A': [ELSEWHERE] }, isDetail: true },
  { what: 'a wildcard with IPv6 to elsewhere', sets: { '*.@ AAAA': ['2001:db8::9'] }, isDetail: true },
  { what: 'www with the address itself', instead: { 'www.@ CNAME': [], 'www.@ A': [HERE] }, isDetail: true },
  { what: 'a second proof, of another service', sets: { '@ TXT': ['"google-site-verification=abc"'] }, isDetail: true },
  { what: 'a long text', sets: { '@ TXT': [`"${'a'.repeat(250)}" "${'b'.repeat(250)}"`] }, isDetail: true },
  { what: 'an SRV record', sets: { '_sip._tcp.@ SRV': ['10 5 5060 sip.example.'] }, isDetail: true },
  { what: 'a name below', name: 'app.@', isDetail: true },
  { what: 'a name far below', name: 'a.b.c.@', isDetail: true },
  { what: 'a name below, and a site of somebody else at the zone’s own', name: 'shop.@', sets: { '@ A': [ELSEWHERE] } },
  { what: 'a hyphen and digits in the name', name: '1-2-3.@', isDetail: true },
  { what: 'a name in another script', name: 'xn--bcher-kva.@', isDetail: true },
  { what: 'www alone, added by that name', name: 'www.@' },
];
const zoneOfHealthy = (index: number) => `healthy${index}.test`;

let bind: NameServer;
let mute: FakeNameServer;
let lab: DomainLab;
let app: DomainApp;
beforeAll(async () => {
  const port = await freePort();
  bind = await startBind({ port, zones: { 'unloaded.test': { records: '@ NS ns1\nns1 A not-an-address' } } });
  mute = await startFakeNameServer(() => [], { address: '127.0.0.7', port });
  lab = await startDomainLab({
    port,
    resolved: [
      ...FAULTS.map(({ zone }) => zone),
      ...Array.from({ length: HEALTHY.length + 1 }, (_, index) => zoneOfHealthy(index)),
    ],
    trustAnchors: [`${SIGNED_OTHERWISE}. DS 12345 13 2 ${'a'.repeat(64)}`],
  });
  app = await createDomainApp(lab);
});
afterEach(async () => {
  // Else the checks of the domains of all tests would go on, and a test that is tried again would find its own.
  await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
  await JobModel.deleteMany({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' });
});
afterAll(async () => {
  for (const one of [app, lab, mute, bind]) await one?.[Symbol.asyncDispose]();
});

/** Adds a name to a new account; its check is called by hand, each time a little later. */
async function add(name: string) {
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({
    name: name.replaceAll('.', ' '),
    platform: 'built-in',
  });
  const added = await caller.domains.add({ deploymentId, name });
  const check = (afterMs = 2_000) => {
    app.clock.advance(afterMs);
    return caller.domains.check({ domainId: added.id });
  };
  return { added, check };
}

test.each(FAULTS.filter(isTried))(
  '$fault: that is what is named ($code)',
  async ({ zone, name = zone, into, inject, ...named }) => {
    const { added, check } = await add(name);
    if (into === 'working') {
      await lab.zone(zone, setsOf(added.records));
      expect(await check()).toMatchObject({ state: 'active', problem: null });
    }
    await inject(zone, added);
    const sights = [named.state, ...(named.later === undefined ? [] : [named.later])];
    for (const [index, state] of sights.entries()) {
      const seen = await check(index * MINUTE_MS + 2_000);
      expect([seen.state, seen.problem?.code, seen.problem?.message]).toEqual([state, named.code, named.message]);
    }
  },
);

test.each(HEALTHY.map((row, index) => ({ ...row, zone: zoneOfHealthy(index) })).filter(isTried))(
  'no alarm where nothing is wrong: $what',
  async ({ zone, sets = {}, name = '@', instead = {}, isOnOne = false }) => {
    const inZone = (keyed: ZoneSets): ZoneSets =>
      Object.fromEntries(Object.entries(keyed).map(([key, values]) => [key.replace('@', zone), values]));
    const { added, check } = await add(name.replace('@', zone));
    const all = { ...inZone(sets), ...setsOf(added.records), ...inZone(instead) };
    const there = Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0));
    await (isOnOne ? lab.zoneOnOne(zone, there) : lab.zone(zone, there));
    const { state, problem, records } = await check();
    expect({ state, problem, open: records.filter((record) => record.state !== 'ok').length }).toEqual({
      ...{ state: 'active', problem: null, open: 0 },
    });
  },
);

test('what a resolver has kept from before is shown with the time that it lasts, and is no alarm', async () => {
  const zone = zoneOfHealthy(HEALTHY.length);
  const { added, check } = await add(zone);
  await lab.zone(zone, { ...setsOf(added.records), [`${zone} A`]: [ELSEWHERE] });
  await lab.client().askResolvers(zone, 'A', new AbortController().signal);
  await lab.write(zone, { [`${zone} A`]: [HERE] });
  const { state, problem, records: seen } = await check();
  expect([state, problem]).toEqual(['active', null]);
  const address = seen.find(({ type }) => type === 'A');
  const kept = address?.seen.find(({ isAuthority }) => !isAuthority);
  expect([address?.state, kept?.values, (kept?.ttl ?? 0) > 0]).toEqual(['ok', [ELSEWHERE], true]);
});
