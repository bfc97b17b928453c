import { afterAll, beforeAll, expect, test } from 'vitest';
import { acmeClient } from '../support/acme.ts';
import { createDiagnosisWorld, type DiagnosisWorld } from '../support/diagnosis-world.ts';
import type { ZoneSets } from '../support/domain-lab.ts';
import { startPebble } from '../support/pebble.ts';
import { IS_FULL } from '../support/size.ts';

type Healthy = {
  what: string;
  sets: ZoneSets;
  isOurs?: false;
  /** A zone of each kind is looked at always, the others in the full size. */
  isDetail?: true;
};

/** Zones and websites as people have them: each of these is nobody's fault. `@` stands for the domain. */
const HEALTHY: readonly Healthy[] = [
  { what: 'nothing else', sets: {}, isDetail: true },
  { what: 'mail', sets: { '@ MX': ['10 mail.example.'], '@ TXT': ['"v=spf1 mx -all"'] } },
  {
    what: 'DMARC and DKIM',
    sets: { '_dmarc.@ TXT': ['"v=DMARC1; p=none"'], 'k1._domainkey.@ TXT': ['"p=AA"'] },
    isDetail: true,
  },
  { what: 'CAA that allows an authority', sets: { '@ CAA': ['0 issue "letsencrypt.org"'] }, isDetail: true },
  { what: 'CAA with a contact', sets: { '@ CAA': ['0 iodef "mailto:a@example.com"', '0 issue "ca.test"'] } },
  { what: 'a wildcard to elsewhere', sets: { '*.@ A': ['203.0.113.9'] } },
  { what: 'a wildcard with IPv6 to elsewhere', sets: { '*.@ AAAA': ['2001:db8::9'] }, isDetail: true },
  { what: 'www as an alias', sets: { 'www.@ CNAME': ['@.'] } },
  { what: 'www with the address itself', sets: { 'www.@ A': ['127.0.0.1'] }, isDetail: true },
  { what: 'no www', sets: { 'blog.@ A': ['203.0.113.9'] }, isDetail: true },
  { what: 'a proof of another service', sets: { '@ TXT': ['"google-site-verification=abc"'] }, isDetail: true },
  { what: 'a long text', sets: { '@ TXT': [`"${'a'.repeat(250)}" "${'b'.repeat(250)}"`] }, isDetail: true },
  { what: 'an SRV record', sets: { '_sip._tcp.@ SRV': ['10 5 5060 sip.example.'] }, isDetail: true },
  { what: 'a proof of DNS-01 that was left', sets: { '_acme-challenge.@ TXT': ['"an-old-proof"'] }, isDetail: true },
  { what: 'a part of the zone that is somebody else’s', sets: { 'lab.@ NS': ['ns.elsewhere.example.'] } },
  { what: 'a name of somebody else', sets: {}, isOurs: false, isDetail: true },
  { what: 'a name of somebody else with mail', sets: { '@ MX': ['10 mail.example.'] }, isOurs: false, isDetail: true },
  { what: 'a name of somebody else with CAA', sets: { '@ CAA': ['0 issue "other-ca.example"'] }, isOurs: false },
  {
    what: 'a name of somebody else with two addresses',
    sets: { '@ A': ['127.0.0.5', '127.0.0.8'] },
    isOurs: false,
    isDetail: true,
  },
  {
    what: 'a name of somebody else with a wildcard',
    sets: { '*.@ A': ['203.0.113.9'] },
    isOurs: false,
    isDetail: true,
  },
];

let world: DiagnosisWorld;
beforeAll(async () => {
  world = await createDiagnosisWorld();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const LOOKED_AT = HEALTHY.filter(({ isDetail }) => isDetail !== true || IS_FULL);

test.each(LOOKED_AT.map((row, index) => ({ ...row, zone: `healthy${index}.test` })))(
  'no alarm where nothing is wrong: $what',
  async ({ zone, sets, isOurs = true }) => {
    const put = (text: string): string => text.replace('@', zone);
    const inZone = Object.fromEntries(Object.entries(sets).map(([key, values]) => [put(key), values.map(put)]));
    const look = async () => {
      await (isOurs ? world.own(zone, inZone) : world.stranger(zone, inZone));
      return world.report({ name: zone });
    };
    const { cause, checks } = await (isOurs ? look() : world.withTls(look));
    const wrong = checks.filter(({ verdict }) => verdict === 'fail').map(({ id, seen }) => `${id}: ${seen}`);
    expect({ cause, wrong }).toEqual({ cause: null, wrong: [] });
  },
);

test('CAA that shuts our authority out is the cause, with the record to add', async () => {
  const { app, own, report } = world;
  await own('shut-out.test', {
    'shut-out.test CAA': ['0 issue "other-ca.example"'],
    'www.shut-out.test CNAME': ['shut-out.test.'],
  });
  await app.jobs.drain();
  await using pebble = await startPebble({ dnsServer: '127.0.0.1:1', httpPort: 1 });
  const { authority } = app.providers;
  app.providers.authority = acmeClient(pebble);
  try {
    const { cause, checks } = await report({ name: 'shut-out.test' });
    const caa = checks.find(({ id }) => id === 'caa');
    expect([cause, caa?.fix]).toEqual(['caa', 'Add CAA 0 issue "pebble.letsencrypt.org" at shut-out.test.']);
  } finally {
    app.providers.authority = authority;
  }
});
