import { expect, test } from 'vitest';
import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import type { DnsZone, FoundRecordSet } from '../../server/dns/provider.ts';
import { planRecords } from '../../server/dns/record-plan/record-plan.ts';
import { type DomainTarget, requiredRecords } from '../../server/domains/records/required-records.ts';
import type { DomainRecord } from '../../server/publishing/platforms/platform.ts';
import { onSite } from '../support/platform-domain-suite.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const UNIT = 'example.com';
const WWW = `www.${UNIT}`;
const HERE = { isServedHere: true, addresses: ['192.0.2.10', '2001:db8::10'], alias: null, issuers: [] };
const AT_PLATFORM: DomainTarget = { isServedHere: false, addresses: [], alias: null, issuers: [] };

const found = (type: string, name: string, ...values: string[]): FoundRecordSet => ({ type, name, ttl: 600, values });
/** A zone as a former host leaves it, with mail. */
const LEFT = [
  ...[found('A', UNIT, '198.51.100.7'), found('AAAA', UNIT, '2001:db8::7'), found('CNAME', WWW, 'old.example.net')],
  ...[found('MX', UNIT, '10 mail.example.net'), found('TXT', UNIT, 'v=spf1 -all')],
];

/** The same, but for a www with an address of its own and mail beside it. */
const MAIL_AT_WWW = [
  ...LEFT.filter(({ type }) => type !== 'CNAME'),
  ...[found('A', WWW, '198.51.100.7'), found('MX', WWW, '10 mail.example.net')],
];

/** The domain and its other name, each as it was added at the platform. */
async function recordsAt(make: Parameters<typeof onSite>[0]) {
  await using on = await onSite(make);
  const { records, counterparts } = await on.attach(UNIT);
  return counterparts.includes(WWW) ? records : [...records, ...(await on.attach(WWW)).records];
}

function planned(
  records: readonly DomainRecord[],
  apexAlias: DnsZone['apexAlias'],
  { target = AT_PLATFORM, left = LEFT } = {},
) {
  const proof = { name: `_fairlead.${UNIT}`, value: 'fairlead-proof=abc' };
  const required = requiredRecords({ name: UNIT, counterpart: WWW, unit: UNIT, proof, attached: { records } }, target);
  const plan = planRecords({ zone: { id: 'z', name: UNIT, apexAlias }, required, found: left });
  return [
    ...plan.changes.map(({ action, type, name, before, after }) =>
      // Heroku makes up a name for each domain.
      [action, type, name, ...(after ?? before ?? { values: [] }).values]
        .join(' ')
        .replace(/[0-9a-f]{12}(?=\.hero)/, '…'),
    ),
    ...plan.conflicts.map(({ code }) => code),
  ];
}

const PROOF = `add TXT _fairlead.${UNIT} fairlead-proof=abc`;
const NO_SIX = `remove AAAA ${UNIT} 2001:db8::7`;
const alias = (host: string) => [`remove A ${UNIT} 198.51.100.7`, NO_SIX, `add CNAME ${UNIT} ${host}`];
const four = (...addresses: string[]) => [NO_SIX, ['replace A', UNIT, ...addresses].join(' ')];

/** Nothing of www is touched, and the plan says why. */
const besideMail = (plain: readonly string[], warnings: readonly string[] = []) => [
  ...plain,
  PROOF,
  ...warnings,
  'cname_beside_others',
];

/** Each row has the changes of the apex without an alias at the provider and with one, and the target of `www`. */
test.each([
  {
    ...{ platform: 'netlify', make: netlifyUnderTest, plain: four('75.2.60.5'), www: 'a-site.netlify.app' },
    ...{ flattened: alias('apex-loadbalancer.netlify.com'), warnings: ['aaaa_elsewhere'] },
  },
  {
    ...{ platform: 'vercel', make: vercelUnderTest, plain: four('192.0.2.79', '192.0.2.1') },
    ...{ flattened: null, www: '0123456789abcdef.dns-017.vercel-dns.com', warnings: ['aaaa_elsewhere'] },
  },
  {
    ...{ platform: 'github-pages', make: githubUnderTest, www: 'pat.github.localhost', warnings: [] },
    plain: [
      `replace A ${UNIT} 185.199.108.153 185.199.109.153 185.199.110.153 185.199.111.153`,
      `replace AAAA ${UNIT} ${[0, 1, 2, 3].map((at) => `2606:50c0:800${at}::153`).join(' ')}`,
    ],
    flattened: alias('pat.github.localhost'),
  },
  {
    ...{ platform: 'render', make: renderUnderTest, plain: four('216.24.57.1'), www: 'a-site.onrender.localhost' },
    ...{ flattened: alias('a-site.onrender.localhost'), warnings: ['aaaa_elsewhere'] },
  },
  {
    ...{ platform: 'heroku', make: herokuUnderTest, plain: [], www: '….herokudns.com' },
    ...{ flattened: alias('….herokudns.com'), warnings: ['apex_without_alias'] },
  },
])('the plan of a domain at $platform replaces what leads elsewhere, and nothing of mail', async (row) => {
  const records = await recordsAt(row.make);
  const rest = [`replace CNAME ${WWW} ${row.www}`, PROOF];
  expect(planned(records, null)).toEqual([...row.plain, ...rest, ...row.warnings]);
  const flattened = row.flattened === null ? [...row.plain, ...rest, ...row.warnings] : [...row.flattened, ...rest];
  expect(planned(records, 'CNAME')).toEqual(flattened);
  expect(planned(records, null, { left: MAIL_AT_WWW })).toEqual(besideMail(row.plain, row.warnings));
});

test('the plan of a domain on the built-in host replaces what leads elsewhere, and nothing of mail', () => {
  const addresses = [`replace A ${UNIT} 192.0.2.10`, `replace AAAA ${UNIT} 2001:db8::10`];
  expect(planned([], null, { target: HERE })).toEqual([...addresses, `replace CNAME ${WWW} ${UNIT}`, PROOF]);
  expect(planned([], null, { target: HERE, left: MAIL_AT_WWW })).toEqual(besideMail(addresses));
});

test('a deployment on Replit takes no domain here, so that nothing is planned', () => {
  expect(domainsRefusal('replit')).toBe('Domains of a deployment on Replit are added at Replit itself.');
});
