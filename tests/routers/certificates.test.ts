import { expect, test } from 'vitest';
import { ChallengeAnswerModel } from '../../server/database/models/domains/challenge-answer.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { AuthorityError } from '../../server/domains/certificates/authority/authority.ts';
import { ownProblem } from '../../server/domains/certificates/authority/problems.ts';
import { ensureAll, renewDue } from '../../server/domains/certificates/maintenance.ts';
import { createSiteCertificates } from '../../server/host/site-certificates.ts';
import { createCertifiedHost } from '../support/certified-host.ts';
import { createWorld, issued, NAMES, ZONE } from '../support/certified-world.ts';
import { get } from '../support/get.ts';
import { askHttp1, handshake } from '../support/tls-visitor.ts';

const signal = new AbortController().signal;
const NO_CERTIFICATE = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';

test('a domain is served over TLS under a certificate of a public authority, and led there from http', async () => {
  await using world = await createWorld();
  const { certificate } = await issued(world);
  expect(certificate).toMatchObject({ state: 'issued', names: NAMES, problem: null, isPublic: true });
  expect(JSON.stringify(certificate)).not.toMatch(/PRIVATE|"key"/);
  const ca = await world.pebble.root();
  await expect
    .poll(() => askHttp1(world.tlsPort, ZONE, '/', { ca, rejectUnauthorized: true }).catch(String))
    .toMatch(/PAGE$/);
  for (const name of NAMES) {
    const answer = await get(world.httpPort, name, '/a?b=1');
    expect([answer.status, answer.headers.location]).toEqual([308, `https://${ZONE}:${world.tlsPort}/a?b=1`]);
  }
  const claimed = await get(world.httpPort, ZONE, '/', { headers: { 'x-forwarded-proto': 'https' } });
  expect(claimed.status).toBe(308);
  const token = 'a'.repeat(43);
  await ChallengeAnswerModel.create({ _id: token, text: 'the text', expiresAt: new Date(Date.now() + 60_000) });
  for (const name of NAMES) {
    const { status, text, headers } = await get(world.httpPort, name, `/.well-known/acme-challenge/${token}`);
    expect([status, text, headers.location]).toEqual([200, 'the text', undefined]);
  }
  await ChallengeAnswerModel.deleteOne({ _id: token });
  await expect(handshake(world.tlsPort, 'nobody.test')).rejects.toThrow(NO_CERTIFICATE);
  expect(await ChallengeAnswerModel.exists({ _id: { $gt: '' } })).toBe(null);
});

test('an answer for an authority is given at a proved name alone, and what nobody waits for is the site’s', async () => {
  await using world = await createCertifiedHost();
  const person = await world.app.trialPerson();
  await world.addDomain(person.user.id, [ZONE]);
  const token = 'a'.repeat(43);
  await ChallengeAnswerModel.create({ _id: token, text: 'the text', expiresAt: new Date(Date.now() + 60_000) });
  const path = (its: string) => `/.well-known/acme-challenge/${its}`;
  await expect.poll(async () => (await get(world.httpPort, ZONE, path(token))).text).toBe('the text');
  expect((await get(world.httpPort, ZONE, path('b'.repeat(43)))).status).toBe(404);
  expect((await get(world.httpPort, ZONE, path(`${token}/../${token}`))).text).not.toBe('the text');
  expect((await get(world.httpPort, 'nobody.test', path(token))).status).toBe(404);
});

test('a certificate that was revoked is served no more, and a new one only by hand', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate } = await issued(world);
  const { authority } = world.app.providers;
  const reasons: string[] = [];
  const revoke: typeof authority.revoke = (call, chain, reason) => {
    reasons.push(reason);
    return authority.revoke(call, chain, reason);
  };
  Object.assign(world.app.providers, { authority: { ...authority, revoke } });
  const revoked = await caller.certificates.revoke({ certificateId });
  expect(reasons).toEqual(['keyCompromise']);
  expect(revoked.history[0]?.detail).toContain('was told');
  expect([revoked.state, revoked.history[0]?.what]).toEqual(['revoked', 'revoked']);
  expect(await world.pebble.statusOf(certificate.serial ?? '')).toBe('Revoked');
  await expect.poll(() => handshake(world.tlsPort, ZONE).then(() => 'served', String)).toContain(NO_CERTIFICATE);
  await renewDue({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).state).toBe('revoked');
  expect(await caller.certificates.renew({ certificateId })).toMatchObject({ state: 'pending', serial: null });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).state).toBe('issued');
});

test('what was revoked is served no more, also while a new order fails', async () => {
  await using world = await createWorld();
  const { caller, certificateId, domainId } = await issued(world, [ZONE]);
  await caller.certificates.revoke({ certificateId });
  const order = () => Promise.reject(new AuthorityError(ownProblem('rejectedIdentifier', 'No.')));
  Object.assign(world.app.providers, { authority: { ...world.app.providers.authority, order } });
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  const { state, serial, chain } = await caller.certificates.get({ certificateId });
  expect([state, serial, chain]).toEqual(['failed', null, null]);
  const served = createSiteCertificates({ ...world.site.providers, secrets: world.app.providers.secrets });
  await served.start();
  expect(served.has(ZONE)).toBe(false);
  served.stop();
  expect((await caller.domains.get({ domainId })).url).toMatch(/^http:/);
});

test('what was revoked is not ordered again when its names change, but by hand alone', async () => {
  await using world = await createWorld();
  const { caller, certificateId, domainId, user } = await issued(world, [ZONE]);
  await caller.certificates.revoke({ certificateId });
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { heldNames: NAMES, pointedNames: NAMES });
  await ensureAll({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'revoked', names: NAMES });
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).state).toBe('issued');
});

test('whoever revokes a certificate of an authority that is no longer in use is told that nobody told it', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate } = await issued(world, [ZONE]);
  Object.assign(world.app.providers, {
    authority: { ...world.app.providers.authority, id: 'https://another.test/dir' },
  });
  const { history, state } = await caller.certificates.revoke({ certificateId });
  expect([state, history[0]?.detail]).toEqual(['revoked', expect.stringContaining('was not told')]);
  expect(await world.pebble.statusOf(certificate.serial ?? '')).toBe('Valid');
});

test('a domain is shown over https while it has a certificate, at the port that answers there', async () => {
  await using world = await createCertifiedHost();
  world.app.providers.addresses.sitesTlsPort = world.tlsPort;
  const { caller } = await issued(world, [ZONE]);
  const shown = async () => {
    const [listed] = (await caller.domains.list()).items;
    return [listed?.url, (await caller.domains.get({ domainId: listed?.id ?? '' })).url];
  };
  const url = `https://${ZONE}:${world.tlsPort}`;
  expect(await shown()).toEqual([url, url]);
  await expect.poll(async () => (await get(world.httpPort, ZONE, '/')).headers.location).toBe(`${url}/`);
  // In front of the host something speaks TLS for all names.
  world.app.providers.addresses.sitesUrl = 'https://{slug}.sites.test';
  expect(await shown()).toEqual([`https://${ZONE}`, `https://${ZONE}`]);
  world.app.providers.addresses.sitesUrl = 'http://{slug}.sites.test:8080';
  const [{ id: certificateId } = { id: '' }] = (await caller.certificates.list()).items;
  await caller.certificates.revoke({ certificateId });
  expect(await shown()).toEqual([`http://${ZONE}:8080`, `http://${ZONE}:8080`]);
});

test('a rehearsal says what the next renewal needs', async () => {
  await using world = await createWorld();
  const { caller, certificateId } = await issued(world);
  const { rehearsal } = await caller.certificates.rehearse({ certificateId });
  const verdicts = rehearsal?.checks.map(({ id, verdict }) => `${id} ${verdict}`);
  expect(verdicts).toContain('account pass');
  expect(verdicts).toContain('limits pass');
  expect(rehearsal?.checks.some(({ verdict }) => verdict === 'fail')).toBe(false);
});

test('the owner hears of a certificate by event, once', async () => {
  await using world = await createCertifiedHost();
  const { user } = await issued(world, [ZONE]);
  const events = await EventModel.find({ accountId: user.id, type: 'ssl_status' }).lean();
  expect(events.map(({ payload }) => payload)).toEqual([{ domain: ZONE, sslStatus: 'issued', isValid: true }]);
});

test('a certificate that is asked for while its domain is removed stays with no account', async () => {
  await using world = await createCertifiedHost();
  const { caller, user } = await world.app.trialPerson();
  for (let round = 0; round < 8; round += 1) {
    const domainId = await world.addDomain(user.id, [ZONE]);
    await Promise.allSettled([caller.certificates.issue({ domainId }), caller.domains.remove({ domainId })]);
    expect((await caller.certificates.list()).items).toEqual([]);
  }
});
