import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { MailModel } from '../../../server/database/models/account/mail.ts';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { ChallengeRecordModel } from '../../../server/database/models/domains/challenge-record.ts';
import { DnsLookupError } from '../../../server/dns/dns-client.ts';
import { dnsError } from '../../../server/dns/providers/failures.ts';
import type { CertificateAuthority } from '../../../server/domains/certificates/authority/authority.ts';
import { rehearseAll } from '../../../server/domains/certificates/maintenance.ts';
import { rehearse } from '../../../server/domains/certificates/rehearse.ts';
import { tryStaging } from '../../../server/domains/certificates/try-staging.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';
import { EgressError } from '../../../server/lib/egress/egress.ts';
import { acmeClient } from '../../support/acme.ts';
import { atFreePort } from '../../support/at-free-port.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { issued, ZONE } from '../../support/certified-world.ts';
import { createDnsChallengeWorld, FOREIGN } from '../../support/dns-challenge-world.ts';
import { startDnsLab } from '../../support/dns-lab.ts';
import { holdTimeouts, never } from '../../support/held-timeouts.ts';
import { makeDue } from '../../support/make-due.ts';
import { startPebble } from '../../support/pebble.ts';
import { ownEgress, testEgress } from '../../support/platforms.ts';
import { startRefusingAuthority } from '../../support/standins/acme.ts';

const { signal } = new AbortController();
const ORDERED = 'POST /order-plz';
const SIGNED = 'POST /finalize-order';
const STAGING_MS = 15_000;

/** A zone whose name leads here, a real authority, and the host at 127.0.0.1 alone of its addresses. */
async function createWorld() {
  const lab = await startDnsLab();
  await lab.registry.createZone(ZONE, { [`${ZONE} NS`]: ['ns.test.'], [`${ZONE} A`]: ['127.0.0.1'] });
  const pebbles: Awaited<ReturnType<typeof startPebble>>[] = [];
  const world = await createCertifiedHost(
    async (httpPort) => {
      const pebble = await startPebble({ dnsServer: lab.dnsServer, httpPort });
      pebbles.push(pebble);
      return acmeClient(pebble);
    },
    {
      dns: lab.client(),
      egress: ownEgress(),
      sitesAddresses: async () => ({ given: true, found: ['127.0.0.1', '::1'] }),
    },
  );
  world.app.providers.addresses.sitesHttpPort = world.httpPort;
  const count = (asked: string): number => (pebbles[0]?.output().split(asked).length ?? 1) - 1;
  return {
    ...world,
    write: (sets: Record<string, string[]>) => lab.registry.writeSets(ZONE, sets),
    orders: () => count(ORDERED),
    signed: () => count(SIGNED),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      for (const one of [...pebbles, lab]) await one[Symbol.asyncDispose]();
    },
  };
}

async function* noBody(): AsyncGenerator<Buffer> {}

test('each address of a name is tried, and one that is gone or broken is not taken to the authority', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate } = await issued(world, [ZONE]);
  expect(certificate).toMatchObject({ state: 'issued', problem: null });
  const ordered = world.orders();
  const rehearsed = async () => {
    const { rehearsal } = await caller.certificates.rehearse({ certificateId });
    return rehearsal?.checks.filter(({ id }) => id === 'challenge' || id === 'dns');
  };
  expect(await rehearsed()).toEqual([{ id: 'challenge', verdict: 'pass', message: `${ZONE} answers here.` }]);
  await world.write({ [`${ZONE} AAAA`]: ['::1'] });
  expect(await rehearsed()).toMatchObject([
    { id: 'challenge', verdict: 'fail', message: expect.stringContaining(`Nothing answers at ${ZONE} (::1)`) },
  ]);
  await world.write({ [`${ZONE} AAAA`]: ['2001:db8::9'] });
  const { egress } = world.app.providers;
  const failingWith = (code: string) => {
    const failure = new EgressError('connection', 'no answer', Object.assign(new Error(code), { code }));
    const request: typeof egress.request = (url, ...rest) =>
      url.startsWith('http://[2001:db8::9]') ? Promise.reject(failure) : egress.request(url, ...rest);
    world.app.providers.egress = { ...egress, request };
  };
  failingWith('UND_ERR_CONNECT_TIMEOUT');
  const unanswered = [
    {
      ...{ id: 'challenge', verdict: 'fail' },
      message: `Nothing answers at ${ZONE} (2001:db8::9), which certificate authorities ask first: remove its AAAA record, or point it to this server.`,
    },
  ];
  expect(await rehearsed()).toEqual(unanswered);
  failingWith('ECONNREFUSED');
  expect(await rehearsed()).toEqual(unanswered);
  // We may be unable to reach one of our own from inside, and the authority is asked all the same.
  await world.write({ [`${ZONE} AAAA`]: ['::1'] });
  const silence = new EgressError('silent', 'no answer');
  const silentHere: typeof egress.request = (url, how, read) =>
    how.listener?.host === '::1' || url.startsWith('http://[::1]')
      ? Promise.reject(silence)
      : egress.request(url, how, read);
  world.app.providers.egress = { ...egress, request: silentHere };
  expect(await rehearsed()).toEqual([
    { id: 'challenge', verdict: 'unknown', message: `${ZONE} answers here, but ::1 could not be tried from here.` },
  ]);
  await world.write({ [`${ZONE} AAAA`]: ['2001:db8::9'] });
  const request: typeof egress.request = (url, how, read) =>
    url.startsWith('http://[2001:db8::9]')
      ? read({ status: 404, headers: new Headers(), url: new URL(url), body: noBody() })
      : egress.request(url, how, read);
  world.app.providers.egress = { ...egress, request };
  expect(await rehearsed()).toMatchObject([
    {
      ...{ id: 'challenge', verdict: 'fail' },
      message: `Another server answers at ${ZONE} (2001:db8::9): it said 404 to our own test. Certificate authorities ask it first: remove its AAAA record, or point it to this server.`,
    },
  ]);
  // A server without IPv6 learns nothing about it.
  failingWith('ENETUNREACH');
  expect(await rehearsed()).toMatchObject([{ id: 'challenge', verdict: 'pass' }]);
  await world.write({ [`${ZONE} A`]: [] });
  expect(await rehearsed()).toMatchObject([{ id: 'challenge', verdict: 'unknown' }]);
  world.app.providers.egress = egress;
  await world.write({ [`${ZONE} AAAA`]: [], [`${ZONE} A`]: ['127.0.0.9'] });
  expect(await rehearsed()).toMatchObject([
    { id: 'dns', verdict: 'fail', message: expect.stringContaining('points to 127.0.0.9, which is not this server') },
  ]);
  await world.write({ [`${ZONE} A`]: Array.from({ length: 17 }, (_, index) => `127.0.0.${index + 1}`) });
  expect(await rehearsed()).toMatchObject([
    { id: 'dns', verdict: 'fail', message: expect.stringContaining('has 17 addresses, and at most 16 are tried') },
  ]);
  await world.write({ [`${ZONE} A`]: [] });
  expect(await rehearsed()).toMatchObject([
    { id: 'dns', verdict: 'fail', message: expect.stringContaining('has no address') },
  ]);
  const { providers } = world.app;
  const { dns } = providers;
  providers.dns = { ...dns, caaOf: () => Promise.reject(new DnsLookupError('timeout', 'No answer.', ZONE)) };
  expect((await caller.certificates.rehearse({ certificateId })).rehearsal?.checks).toContainEqual({
    id: 'caa',
    verdict: 'fail',
    message: `The name servers of ${ZONE} do not answer questions for CAA records, so the certificate authority refuses. Ask your DNS provider to answer them, even if the answer is empty.`,
  });
  providers.dns = { ...dns, checkDnssec: async () => 'bogus' };
  expect((await caller.certificates.rehearse({ certificateId })).rehearsal?.checks).toContainEqual({
    ...{ id: 'dns', verdict: 'fail', message: expect.stringContaining(`DNSSEC of ${ZONE} is broken`) },
  });
  providers.dns = dns;

  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  const { problem } = await caller.certificates.get({ certificateId });
  expect([problem?.type, problem?.message, world.orders()]).toEqual([
    'rehearsal',
    expect.stringContaining('has no address'),
    ordered,
  ]);
});

test('a name whose CAA records forbid is left out of an order, but keeps its certificate while that lasts', async () => {
  await using world = await createWorld();
  const www = `www.${ZONE}`;
  await world.write({ [`${www} A`]: ['127.0.0.1'] });
  const { providers } = world.app;
  const { dns } = providers;
  const theirs = { name: 'shop.test', values: ['0 issue "theirs.test"'] };
  const caaOf = async (name: string) => (name === www ? theirs : null);
  const forbid = () => Object.assign(providers, { dns: { ...dns, caaOf } });
  forbid();
  const { caller, user, certificateId, certificate } = await issued(world, [ZONE, www]);
  await UserModel.updateOne({ _id: user.id }, { $set: { emailConfirmedAt: new Date() } });
  const left = { state: 'issued', uncovered: [www], problem: { type: 'caa' } };
  expect(certificate).toMatchObject(left);
  expect(world.orders()).toBe(1);
  const tryAgain = async () => {
    const { nextTryAt } = await caller.certificates.get({ certificateId });
    const waitMs = (nextTryAt?.getTime() ?? 0) - providers.now().getTime();
    world.app.clock.advance(Math.max(0, waitMs) + 1_000);
    await makeDue();
    await world.app.jobs.drain();
    return caller.certificates.get({ certificateId });
  };
  expect(await tryAgain()).toMatchObject({ ...left, serial: certificate.serial });
  expect(world.orders(), 'for what is covered already').toBe(1);
  await CertificateModel.updateOne({ _id: certificateId, accountId: user.id }, { rehearseAt: new Date(0) });
  await rehearseAll({ providers, signal });
  const { rehearsal } = await caller.certificates.get({ certificateId });
  expect(rehearsal?.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  providers.dns = dns;
  const whole = await tryAgain();
  expect(whole).toMatchObject({ state: 'issued', problem: null, nextTryAt: null });
  expect(whole.uncovered).toBeUndefined();
  forbid();
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  const kept = await tryAgain();
  expect(kept).toMatchObject({ state: 'issued', serial: whole.serial, problem: { type: 'caa' } });
  expect([kept.uncovered, world.orders()]).toEqual([undefined, 2]);
  world.app.clock.advance((whole.notAfter?.getTime() ?? 0) - DAY_MS - providers.now().getTime());
  const last = await tryAgain();
  expect(last).toMatchObject(left);
  expect([last.serial === whole.serial, world.orders()]).toEqual([false, 3]);
  const mails = await MailModel.find({ _id: { $gt: '' }, accountId: user.id }).lean();
  const told = mails.flatMap(({ kind, values }) => (kind === 'renewal-failed' ? [values] : []));
  expect(told.map(({ name, message }) => [name, message]).sort()).toEqual([
    [ZONE, expect.stringContaining('The CAA records of shop.test')],
    [www, expect.stringContaining('The CAA records of shop.test')],
  ]);
});

test.each([
  ['https://harbour.test:9443/', 'port 9443, but certificate authorities follow redirects only to ports 80 and 443'],
  ['ftp://harbour.test/', 'ftp:, but certificate authorities follow redirects only to http and https'],
])('a server that leads the challenge to %s is named, and nothing is ordered', async (location, where) => {
  await using world = await createWorld();
  const { caller, certificateId } = await issued(world, [ZONE]);
  const ordered = world.orders();
  await using web = await atFreePort(createServer((_request, response) => response.writeHead(302, { location }).end()));
  const egress = testEgress();
  const request: typeof egress.request = (url, ...rest) =>
    egress.request(url.replace('http://127.0.0.9/', `${web.url}/`), ...rest);
  world.app.providers.egress = { request };
  await world.write({ [`${ZONE} A`]: ['127.0.0.1', '127.0.0.9'] });
  const message = `${ZONE} (127.0.0.9) redirects our own test to ${where}. Let /.well-known/acme-challenge/ be answered without that redirect.`;
  const { rehearsal } = await caller.certificates.rehearse({ certificateId });
  expect(rehearsal?.checks[0]).toEqual({ id: 'challenge', verdict: 'fail', message });
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).problem).toMatchObject({ type: 'rehearsal', message });
  expect(world.orders()).toBe(ordered);
});

test('the staging directory looks where nothing is in the way, and what it has seen at the name is', async () => {
  await using world = await createWorld();
  await using refusing = await startRefusingAuthority();
  const { caller, certificateId, certificate } = await issued(world, [ZONE]);
  const { providers } = world.app;
  const [ordered, answered] = [world.orders(), world.signed()];
  const staged = async () => {
    const { rehearsal } = await caller.certificates.rehearse({ certificateId });
    return rehearsal?.checks.flatMap(({ id, verdict, message }) => (id === 'staging' ? [[verdict, message]] : []));
  };
  expect(await staged()).toEqual([]);
  providers.staging = acmeClient(refusing);
  const said = (detail: string) => `The test system at ${providers.staging?.name} says: ${detail}`;
  for (const [type, verdict] of [
    ...[['connection', 'fail'] as const, ['caa', 'unknown'] as const],
    ...[['rateLimited', 'unknown'] as const, ['accountDoesNotExist', 'unknown'] as const],
  ]) {
    refusing.refuseWith({ status: 403, type, detail: `${type} it is` });
    expect(await staged()).toEqual([[verdict, said(`${type} it is`)]]);
  }
  expect(world.orders()).toBe(ordered);
  providers.staging = { ...providers.authority, id: 'staging', name: 'staging.test' };
  expect(await staged()).toEqual([['pass', 'The test system at staging.test finds our proof of these names.']]);
  expect([world.orders() - ordered, world.signed() - answered]).toEqual([1, 0]);
  expect((await caller.certificates.get({ certificateId })).serial).toBe(certificate.serial);
  await world.write({ [`${ZONE} A`]: ['127.0.0.9'] });
  expect([await staged(), world.orders() - ordered]).toEqual([[], 1]);
});

test('a staging directory that does not look in time leaves no proof in the zone', async () => {
  await using world = await createDnsChallengeWorld();
  const { user } = await world.person();
  const { providers } = world.app;
  using timeouts = holdTimeouts(STAGING_MS);
  let written: string[] = [];
  const awaitValidation: CertificateAuthority['awaitValidation'] = async (call) => {
    written = await world.texts();
    timeouts.end();
    return never(call.signal);
  };
  const staging = { ...providers.authority, id: 'staging', name: 'staging.test', awaitValidation };
  const tried = { accountId: user.id, names: [ZONE], challenge: 'dns-01' as const };
  expect(await tryStaging({ ...providers, staging }, tried, signal)).toMatchObject({ verdict: 'unknown' });
  expect(written).toHaveLength(2);
  expect(await world.texts()).toEqual([FOREIGN]);
});

test('a rehearsal by DNS writes once and leaves nothing, and says why it may not write', async () => {
  await using world = await createDnsChallengeWorld();
  const { user } = await world.person();
  const { providers } = world.app;
  const { dnsProviders } = providers;
  const { powerdns } = dnsProviders;
  if (powerdns === undefined) throw new Error('There is no adapter for PowerDNS.');
  let written: string[][] = [];
  let leave = new AbortController();
  let isLeaving = false;
  const at = async (boundary: string) => {
    if (boundary !== 'certificate:challenge-written') return;
    written.push(await world.texts());
    if (isLeaving) leave.abort();
  };
  Object.assign(providers, { faults: { at } });
  // The names of a domain that is not here lead elsewhere.
  const place = { _id: 'one', accountId: user.id, domainId: 'none' };
  const rehearsed = async () => {
    written = [];
    const { checks } = await rehearse(
      providers,
      { ...place, names: [ZONE], problem: null, issued: null },
      leave.signal,
    );
    return checks.flatMap(({ id, verdict, message }) => (id === 'caa' || verdict === 'pass' ? [] : [[id, message]]));
  };
  expect(await rehearsed()).toEqual([]);
  expect(written).toEqual([[expect.any(String), expect.any(String)]]);
  expect(await world.texts()).toEqual([FOREIGN]);

  providers.staging = { ...providers.authority, id: 'staging', name: 'staging.test' };
  expect([await rehearsed(), written.length]).toEqual([[], 1]);
  delete providers.staging;

  isLeaving = true;
  await expect(rehearsed()).rejects.toMatchObject({ name: 'AbortError' });
  expect(written).toEqual([[expect.any(String), expect.any(String)]]);
  expect(await world.texts()).toEqual([FOREIGN]);

  leave = new AbortController();
  const write = () => Promise.reject(dnsError('permission_missing', 'PowerDNS', { said: 'read-only key' }));
  providers.dnsProviders = { ...dnsProviders, powerdns: { ...powerdns, write } };
  expect(await rehearsed()).toEqual([
    [
      'challenge',
      'PowerDNS does not allow this with the credentials of this connection: read-only key. Give the credentials this permission at PowerDNS, then try again.',
    ],
  ]);
  expect(await ChallengeRecordModel.countDocuments({ accountId: user.id })).toBe(0);
});

test('a port that was open and is closed is told after a second rehearsal, weeks before the renewal', async () => {
  await using world = await createWorld();
  const { app } = world;
  const { caller, user, certificateId } = await issued(world, [ZONE]);
  await UserModel.updateOne({ _id: user.id }, { $set: { emailConfirmedAt: new Date() } });
  const rehearse = async () => {
    await CertificateModel.updateOne({ _id: certificateId, accountId: user.id }, { rehearseAt: app.clock.now() });
    await rehearseAll({ providers: app.providers, signal });
    app.clock.advance(HOUR_MS);
    await app.jobs.drain();
    return app.outbox.splice(0).flatMap(({ kind }) => (kind === 'renewal-at-risk' ? [kind] : []));
  };
  const closed = { sitesHttpPort: 1 };
  // One that was never seen from here may be well: we may not see ourselves.
  Object.assign(app.providers.addresses, closed);
  expect([await rehearse(), await rehearse()]).toEqual([[], []]);
  app.providers.addresses.sitesHttpPort = world.httpPort;
  expect(await rehearse()).toEqual([]);
  Object.assign(app.providers.addresses, closed);
  expect([await rehearse(), await rehearse(), await rehearse()]).toEqual([[], ['renewal-at-risk'], []]);
  const { items } = await caller.certificates.list({ needsCare: true });
  expect(items.map(({ id }) => id)).toEqual([certificateId]);
  // The view of the authority counts (RFC 8555, section 8.2): it is asked where we cannot see ourselves.
  await caller.certificates.renew({ certificateId });
  await app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'issued', problem: null });
  expect(world.orders()).toBe(2);
});
