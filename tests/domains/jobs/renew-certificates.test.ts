import { expect, test } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { askForRenewal, ensureAll, renewDue } from '../../../server/domains/certificates/maintenance.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { createWorld, issued, NAMES, ZONE } from '../../support/certified-world.ts';
import { makeDue } from '../../support/make-due.ts';
import { askHttp1, askHttp2, handshake, openHttp2 } from '../../support/tls-visitor.ts';

const signal = new AbortController().signal;
const NO_CERTIFICATE = 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE';

test('a renewal takes the place of the certificate before it without a restart', async () => {
  await using world = await createWorld({ profiles: { short: 3_600 } });
  const { caller, user, certificateId, certificate: first } = await issued(world);
  const serialServed = async (): Promise<string> => {
    const socket = await handshake(world.tlsPort, ZONE);
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  await expect.poll(serialServed).toBe(first.serial);
  const open = await openHttp2(world.tlsPort, ZONE);
  // Within the window that the authority names its moment is chosen at random.
  const { renewAt } = await caller.certificates.get({ certificateId });
  const due = renewAt ?? expect.fail('It is never renewed');
  expect(due.getTime()).toBeLessThan((first.notAfter ?? due).getTime());
  // It does not wait for the next look of the maintenance, minutes after that.
  const [waiting] = await JobModel.find({ accountId: user.id, name: 'issue-certificate', status: 'queued' }).lean();
  expect(Math.abs((waiting?.runAt.getTime() ?? 0) - due.getTime())).toBeLessThan(60_000);
  world.app.clock.advance(due.getTime() - world.app.clock.now().getTime() + 1_000);
  await makeDue();
  await world.app.jobs.drain();
  const second = await caller.certificates.get({ certificateId });
  expect([second.state, second.problem, second.serial === first.serial]).toEqual(['issued', null, false]);
  await expect.poll(serialServed).toBe(second.serial);
  // A visitor from before stays, on the connection that the old one opened.
  expect((await askHttp2(open, '/')).text).toBe('PAGE');
  open.destroy();
});

test('a certificate is renewed when its authority says so, and not before', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate: first } = await issued(world);
  const look = async () => {
    await CertificateModel.updateOne({ _id: certificateId, accountId: { $exists: true } }, { askAt: new Date(0) });
    await askForRenewal({ providers: world.app.providers, signal });
    await renewDue({ providers: world.app.providers, signal });
    await world.app.jobs.drain();
    return caller.certificates.get({ certificateId });
  };
  expect((await look()).serial).toBe(first.serial);
  await world.pebble.setRenewalInfo(first.chain ?? '', 'nonsense');
  expect((await look()).serial).toBe(first.serial);
  const [start, end] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
  await world.pebble.setRenewalInfo(first.chain ?? '', JSON.stringify({ suggestedWindow: { start, end } }));
  expect((await look()).serial).toBe(first.serial);
  world.app.clock.advance(2 * DAY_MS);
  expect((await look()).serial).not.toBe(first.serial);
});

test('what its authority refused for good waits for a person', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate: first } = await issued(world);
  const problem = { type: 'rejectedIdentifier', message: 'No.', detail: null, link: null, at: new Date() };
  const own = { _id: certificateId, accountId: { $exists: true } };
  await CertificateModel.updateOne(own, { renewAt: new Date(0), nextTryAt: null, problem });
  await renewDue({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).serial).toBe(first.serial);
});

test('without an authority of its own a domain gets a certificate of the local one as soon as it is proved', async () => {
  await using world = await createCertifiedHost();
  const person = await world.app.trialPerson();
  await world.addDomain(person.user.id, NAMES);
  await DomainModel.updateMany({ accountId: person.user.id }, { pointedNames: [] });
  await ensureAll({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  const { items, localRoot } = await person.caller.certificates.list();
  expect(items).toMatchObject([{ state: 'issued', names: NAMES, isPublic: false }]);
  const trusting = { ca: localRoot ?? '', rejectUnauthorized: true };
  await expect.poll(() => askHttp1(world.tlsPort, ZONE, '/', trusting).catch(String)).toMatch(/PAGE$/);
});

test('a domain that is gone takes its certificate with it', async () => {
  await using world = await createCertifiedHost();
  const { caller, domainId, user } = await issued(world, [ZONE]);
  await DomainModel.deleteOne({ _id: domainId, accountId: user.id });
  await ensureAll({ providers: world.app.providers, signal });
  expect((await caller.certificates.list()).items).toEqual([]);
  await expect.poll(() => handshake(world.tlsPort, ZONE).then(() => 'served', String)).toContain(NO_CERTIFICATE);
});

test('a wildcard that is a domain’s only certificate goes with it as well', async () => {
  await using world = await createCertifiedHost();
  const { caller, user } = await world.app.trialPerson();
  const domainId = await world.addDomain(user.id, [ZONE]);
  await caller.certificates.issue({ domainId, wildcard: true });
  await ensureAll({ providers: world.app.providers, signal });
  expect((await caller.certificates.list()).items.map(({ names }) => names.join()).sort()).toEqual([`*.${ZONE}`, ZONE]);
  await CertificateModel.deleteOne({ accountId: user.id, isWildcard: false });
  await DomainModel.deleteOne({ _id: domainId, accountId: user.id });
  world.app.clock.advance(DAY_MS);
  await ensureAll({ providers: world.app.providers, signal });
  expect((await caller.certificates.list()).items).toEqual([]);
});
