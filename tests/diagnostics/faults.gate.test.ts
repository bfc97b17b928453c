import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CheckId } from '../../routers/schemas/diagnostics.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { DnsChangeModel } from '../../server/database/models/domains/dns-change.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId } from '../../server/database/mongo.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import { selfSigned } from '../support/certificate.ts';
import { createDiagnosisWorld, type DiagnosisWorld, NOBODY, OLD, OTHER } from '../support/diagnosis-world.ts';
import { publish } from '../support/publishing.ts';
import { IS_FULL } from '../support/size.ts';

/** Each check meets a server that fails in this way, and the cause that the report names is the one that was injected. */
type Fault = {
  fault: string;
  name: string;
  cause: CheckId;
  /** Others that the same report finds beside it, and that nothing explains. */
  beside?: readonly CheckId[];
  /** A fault of each cause is injected always, the others in the full size, and what a quick test of the check holds. */
  isDetail?: boolean;
  inject(world: DiagnosisWorld, name: string): Promise<unknown>;
};

const isTried = ({ isDetail }: Fault): boolean => isDetail !== true || IS_FULL;
const days = (count: number): Date => new Date(Date.now() + count * DAY_MS);

const OF_STRANGERS: readonly Fault[] = [
  { fault: 'the name is not registered', name: 'nobody.test', cause: 'delegation', inject: async () => undefined },
  {
    fault: 'the name server does not know the zone',
    isDetail: true,
    ...{ name: 'lame.test', cause: 'delegation' },
    inject: ({ lab }, name) => lab.delegate(name, { [`ns1.${name}`]: '127.0.0.3' }),
  },
  {
    fault: 'the registrar has a DS that the zone is not signed by',
    ...{ name: 'bogus.test', cause: 'dnssec' },
    inject: ({ stranger }, name) => stranger(name),
  },
  {
    fault: 'the name is an alias of what has no address',
    ...{ name: 'app.gone.test', cause: 'dangling' },
    inject: ({ lab }) => lab.zone('gone.test', { 'app.gone.test CNAME': ['old.gone.test.'] }),
  },
  {
    fault: 'the name is an alias of a domain that nobody has',
    isDetail: true,
    ...{ name: 'app.claim.test', cause: 'dangling' },
    inject: ({ lab }) => lab.zone('claim.test', { 'app.claim.test CNAME': ['expired-long-ago.test.'] }),
  },
  {
    fault: 'the address is a private one',
    ...{ name: 'private.test', cause: 'reserved-address' },
    inject: ({ lab }, name) => lab.zone(name, { [`${name} A`]: ['10.0.0.5'] }),
  },
  {
    fault: 'the name has no address',
    ...{ name: 'empty.test', cause: 'resolves' },
    inject: ({ lab }, name) => lab.zone(name),
  },
  {
    fault: 'a proxy does not reach the site',
    isDetail: true,
    ...{ name: 'cloud.test', cause: 'proxied' },
    async inject({ web, stranger }, name) {
      web.set(`https://${name}`, { status: 522, headers: { 'cf-ray': '8f-AMS' } });
      await stranger(name);
    },
  },
  {
    fault: 'nobody listens at the port of https',
    isDetail: true,
    ...{ name: 'closed.test', cause: 'certificate' },
    inject: ({ lab }, name) => lab.zone(name, { [`${name} A`]: [NOBODY] }),
  },
  {
    fault: 'the certificate has expired',
    ...{ name: 'expired.test', cause: 'certificate' },
    async inject({ shown, stranger }, name) {
      shown.set(name, selfSigned(days(-90), days(-1), name));
      await stranger(name);
    },
  },
  {
    fault: 'the certificate is for another name',
    isDetail: true,
    ...{ name: 'wrong-name.test', cause: 'certificate' },
    async inject({ shown, stranger, certificateFor }, name) {
      shown.set(name, certificateFor('another.test'));
      await stranger(name);
    },
  },
  {
    fault: 'the certificate is self-signed',
    isDetail: true,
    ...{ name: 'self.test', cause: 'certificate' },
    async inject({ shown, stranger }, name) {
      shown.set(name, selfSigned(days(-1), days(80), name));
      await stranger(name);
    },
  },
  {
    fault: 'the certificate is not valid yet',
    isDetail: true,
    ...{ name: 'early.test', cause: 'certificate' },
    async inject({ shown, stranger }, name) {
      shown.set(name, selfSigned(days(2), days(90), name));
      await stranger(name);
    },
  },
  {
    fault: 'the site answers with an error',
    ...{ name: 'broken.test', cause: 'url-up' },
    async inject({ web, stranger }, name) {
      web.set(`https://${name}`, { status: 500 });
      await stranger(name);
    },
  },
  {
    fault: 'the page is not there',
    isDetail: true,
    ...{ name: 'missing.test', cause: 'url-up' },
    async inject({ web, stranger }, name) {
      web.set(`https://${name}`, { status: 404 });
      await stranger(name);
    },
  },
  {
    fault: 'the host still takes TLS 1.1',
    ...{ name: 'old-tls.test', cause: 'protocol' },
    inject: ({ lab }, name) => lab.zone(name, { [`${name} A`]: [OLD] }),
  },
  {
    fault: 'redirects lead in a circle',
    isDetail: true,
    ...{ name: 'circle.test', cause: 'redirects' },
    async inject({ web, stranger }, name) {
      web.set(`https://${name}`, { status: 302, headers: { location: `https://${name}/` } });
      await stranger(name);
    },
  },
  {
    fault:
      'resolvers keep the address for a week, http shows the page as well, HSTS asks for preload without its subdomains, a script comes over http, the name of the challenge is an alias of nothing, and some visits get no answer',
    ...{ name: 'much.test', cause: 'ttl' },
    beside: ['https-forced', 'hsts', 'mixed-content', 'challenge-record', 'reply-time'],
    async inject({ lab, web, stranger }, name) {
      web.set(`http://${name}`, { status: 200 });
      web.set(`https://${name}`, {
        headers: { 'strict-transport-security': 'max-age=31536000; preload' },
        body: '<p>\n<script src="http://cdn.example/a.js"></script>',
        breaks: /fairlead=[13]/,
      });
      await stranger(name, { [`_acme-challenge.${name} CNAME`]: ['gone-for-good.test.'] });
      const set = { name: `${name}.`, type: 'A', ttl: 604_800, changetype: 'REPLACE', records: [{ content: OTHER }] };
      await lab.api('PATCH', `/zones/${name}.`, { rrsets: [set] });
    },
  },
];

const OF_OUR_OWN: readonly Fault[] = [
  {
    fault: 'the domain leads to another server',
    isDetail: true,
    ...{ name: 'moved.test', cause: 'resolves' },
    async inject({ own, lab }, name) {
      await own(name);
      await lab.write(name, { [`${name} A`]: ['127.0.0.9'] });
    },
  },
  {
    fault: 'its address is gone, and www follows it',
    ...{ name: 'bare.test', cause: 'resolves' },
    async inject({ own, lab }, name) {
      await own(name, { [`www.${name} CNAME`]: [`${name}.`] });
      await lab.write(name, { [`${name} A`]: [] });
    },
  },
  {
    fault: 'one of two name servers has another address',
    ...{ name: 'split.test', cause: 'resolves' },
    async inject({ own, lab }, name) {
      await own(name);
      await lab.write(name, { [`${name} A`]: ['127.0.0.9'] }, { onOne: true });
    },
  },
  {
    fault: 'the proof is at a name that has the domain twice',
    isDetail: true,
    ...{ name: 'doubled.test', cause: 'ownership' },
    async inject({ own, lab }, name) {
      const { proof } = await own(name);
      await lab.write(name, { [`${proof.name} TXT`]: [], [`${proof.name}.${name} TXT`]: [`"${proof.value}"`] });
    },
  },
  {
    fault: 'another server answers at port 80',
    ...{ name: 'taken.test', cause: 'port-80' },
    async inject({ own, lab }, name) {
      await own(name);
      await lab.write(name, { [`${name} A`]: [OTHER] });
    },
  },
  {
    fault: 'port 80 is closed',
    isDetail: true,
    ...{ name: 'shut.test', cause: 'port-80' },
    async inject({ own, lab }, name) {
      await own(name);
      await lab.write(name, { [`${name} A`]: [NOBODY] });
    },
  },
  {
    fault:
      'the proof was removed, nobody answers at the IPv6 address, www shows another site, the authority has had too many orders, and our writing took the mail along',
    ...{ name: 'many.test', cause: 'ownership' },
    beside: ['ipv6', 'www-and-apex', 'ca-side', 'email-untouched'],
    async inject({ own, web, lab, report, person, app }, name) {
      web.set(`http://www.${name}`, { status: 200, body: 'another site' });
      const { id: domainId, proof } = await own(name, {
        [`${name} MX`]: ['10 mail.example.'],
        [`www.${name} A`]: [OTHER],
      });
      // Knows the mail, and leaves no order of its own: what was refused is another.
      await report({ name });
      app.clock.advance(2_000);
      const accountId = person.user.id;
      const at = app.providers.now();
      const plan = { _id: newId(), accountId, domainId, connectionId: newId(), zone: {}, changes: [], conflicts: [] };
      await DnsChangeModel.create({ ...plan, state: 'applied', expiresAt: days(7) });
      await DnsChangeModel.updateOne({ _id: plan._id, accountId }, { $set: { updatedAt: at } }, { timestamps: false });
      const problem = { type: 'rateLimited', message: 'Too many certificates.', detail: null, link: null, at };
      const row = { names: [name], history: [], problem, nextTryAt: new Date(at.getTime() + DAY_MS) };
      const key = { domainId, accountId };
      await CertificateModel.updateOne(key, { $set: row, $setOnInsert: { _id: newId() } }, { upsert: true });
      await lab.write(name, { [`${name} MX`]: [], [`${proof.name} TXT`]: [], [`${name} AAAA`]: ['::1'] });
    },
  },
];

let world: DiagnosisWorld;
beforeAll(async () => {
  world = await createDiagnosisWorld({
    resolved: ['bogus.test'],
    trustAnchors: [`bogus.test. DS 12345 13 2 ${'a'.repeat(64)}`],
  });
});
afterEach(async () => {
  // A test that is tried again would find its own.
  await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
  await JobModel.deleteMany({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' });
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const seenOf = ({ cause, checks }: Awaited<ReturnType<DiagnosisWorld['report']>>) => ({
  cause,
  wrong: checks.filter(({ verdict }) => verdict === 'fail').map(({ id, seen }) => `${id}: ${seen}`),
});

const unexplainedIn = ({ checks }: Awaited<ReturnType<DiagnosisWorld['report']>>) =>
  checks.filter(({ verdict, because }) => verdict === 'fail' && because === null).map(({ id }) => id);

test.each(OF_STRANGERS.filter(isTried))(
  'of a name that is none of ours: $fault ($cause)',
  async ({ name, cause, beside = [], inject }) => {
    const report = await world.withTls(async () => {
      await inject(world, name);
      return world.report({ name });
    });
    expect(seenOf(report)).toMatchObject({ cause });
    expect(unexplainedIn(report)).toEqual(expect.arrayContaining([cause, ...beside]));
    // Nobody guesses what the name should lead to, or asks for a proof.
    expect(report.checks.map(({ id }) => id)).not.toContain('ownership');
    const first = report.checks.find(({ id }) => id === cause);
    expect([first?.because, first?.fix === null, first?.why === '']).toEqual([null, false, false]);
  },
);

test.each(OF_OUR_OWN.filter(isTried))(
  'of a domain of our own: $fault ($cause)',
  async ({ name, cause, beside = [], inject }) => {
    await inject(world, name);
    const report = await world.report({ name });
    expect(seenOf(report)).toMatchObject({ cause });
    expect(unexplainedIn(report)).toEqual(expect.arrayContaining([cause, ...beside]));
  },
);

test('no alarm where nothing is wrong, and the page is compared with the release by its bytes', async () => {
  await world.own('healthy.test', { 'www.healthy.test CNAME': ['healthy.test.'] });
  const report = await world.report({ name: 'healthy.test' });
  expect(seenOf(report)).toEqual({ cause: null, wrong: [] });
  const up = report.checks.find(({ id }) => id === 'url-up');
  expect([up?.verdict, up?.seen]).toEqual(['pass', expect.stringContaining('exactly the start page of the release')]);
  expect(up?.asked[0]).toMatchObject({ question: expect.stringContaining('GET http'), answer: '200' });
});

test('what fails after the first broken link is because of it', async () => {
  const report = await world.withTls(async () => {
    await world.lab.zone('chain.test', { 'chain.test A': [NOBODY] });
    return world.report({ name: 'chain.test' });
  });
  const failed = report.checks.filter(({ verdict }) => verdict === 'fail');
  expect(failed.length).toBeGreaterThan(1);
  expect(failed.slice(1).every(({ because }) => because === report.cause)).toBe(true);
});

test('a record that appeared since the last report is named', async () => {
  await world.own('since.test');
  expect((await world.report({ name: 'since.test' })).changes).toEqual([]);
  await world.lab.write('since.test', { 'since.test AAAA': ['::1'] });
  const { changes, since } = await world.report({ name: 'since.test' });
  expect(changes).toContainEqual({ what: 'AAAA of since.test', before: [], after: ['::1'] });
  expect(since).toBeInstanceOf(Date);
});

test('a deployment without a domain is looked at by its own address, to the hash of what is served', async () => {
  const { app, person } = world;
  const deployment = await person.caller.deployments.create({ name: 'no domain', platform: 'built-in' });
  await publish(app, person, deployment, { 'index.html': 'alone' });
  const report = await world.report({ deploymentId: deployment.id });
  expect(seenOf(report)).toEqual({ cause: null, wrong: [] });
  expect(report.checks.map(({ id }) => id)).toEqual(['url-up', 'mixed-content', 'reply-time']);
});
