import { expect, test } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { AuthorityError, type CertificateAuthority } from '../../../server/domains/certificates/authority/authority.ts';
import { unreachable } from '../../../server/domains/certificates/authority/problems.ts';
import { askForRenewal } from '../../../server/domains/certificates/maintenance.ts';
import { renewCertificatesJob } from '../../../server/domains/jobs/renew-certificates.ts';
import { MINUTE_MS } from '../../../server/lib/durations.ts';
import type { Egress } from '../../../server/lib/egress/egress.ts';
import { createWorld, issued, ZONE } from '../../support/certified-world.ts';
import { createDnsChallengeWorld, leaveTwo } from '../../support/dns-challenge-world.ts';
import { holdTimeouts, never } from '../../support/held-timeouts.ts';
import { testEgress } from '../../support/platforms.ts';

const { signal } = new AbortController();
const LOOK_MS = 10_000;
const PERSON_MS = 25_000;
const PUT_MS = 3 * MINUTE_MS;
const OTHER = `other.${ZONE}`;
const noWait = { wait: async (_ms: number, ends: AbortSignal) => ends.throwIfAborted() };

/** A way out on which nothing that is asked at these addresses is ever answered; tells of each request. */
function silentAt(prefix: string, tell: () => void): Egress {
  const egress = testEgress();
  return {
    request(url, request, read) {
      if (!url.startsWith(prefix)) return egress.request(url, request, read);
      const answer = never(request.signal);
      tell();
      return answer;
    },
  };
}

const renewJobOf = (accountId: string) => ({
  ...{
    id: 'job',
    name: 'renew-certificates' as const,
    payload: {},
    accountId,
    attempt: 1,
    maxAttempts: 1,
    waits: { of: null, count: 0 },
    isAside: false,
    signal,
  },
  transaction: () => Promise.reject(new Error('It writes by itself.')),
});

test('a name that answers nothing is in nobody’s way: it could not be tried', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate } = await issued(world, [ZONE]);
  using timeouts = holdTimeouts(LOOK_MS);
  Object.assign(world.app.providers, { egress: silentAt(`http://${ZONE}/`, timeouts.end) });
  const { rehearsal } = await caller.certificates.rehearse({ certificateId });
  expect(rehearsal?.checks.find(({ id }) => id === 'challenge')?.verdict).toBe('unknown');
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  const renewed = await caller.certificates.get({ certificateId });
  expect([renewed.state, renewed.problem, renewed.serial === certificate.serial]).toEqual(['issued', null, false]);
});

test('a person who waits for what nobody answers is told so', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person();
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [] });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  using timeouts = holdTimeouts(PERSON_MS);
  Object.assign(world.app.providers, { egress: silentAt('http', timeouts.end) });
  const silent = (who: string) => ({ cause: { code: 'platform_down', message: expect.stringContaining(who) } });
  await expect(caller.certificates.issue({ domainId })).rejects.toMatchObject(silent('Your DNS providers'));
  await expect(caller.certificates.rehearse({ certificateId })).rejects.toMatchObject(
    silent('The servers that a renewal needs'),
  );
  const revoke: CertificateAuthority['revoke'] = (call) => {
    timeouts.end();
    return never(call.signal);
  };
  Object.assign(world.app.providers, { authority: { ...world.app.providers.authority, revoke } });
  await expect(caller.certificates.revoke({ certificateId })).rejects.toMatchObject(
    silent('The certificate authority'),
  );
  expect((await caller.certificates.get({ certificateId })).state).toBe('issued');
});

test('where the authority cannot be reached, one certificate is asked for and not each of them', async () => {
  await using world = await createWorld();
  const { caller, user } = await issued(world, [ZONE]);
  await caller.certificates.issue({ domainId: await world.addDomain(user.id, [OTHER]) });
  await world.app.jobs.drain();
  let asked = 0;
  const renewalInfo = () => {
    asked += 1;
    return Promise.reject(new AuthorityError(unreachable('no answer')));
  };
  Object.assign(world.app.providers, { authority: { ...world.app.providers.authority, renewalInfo } });
  await CertificateModel.updateMany({ accountId: user.id }, { askAt: new Date(0) });
  await askForRenewal({ providers: world.app.providers, signal });
  expect(asked).toBe(1);
  await askForRenewal({ providers: world.app.providers, signal });
  expect(asked).toBe(2);
  await askForRenewal({ providers: world.app.providers, signal });
  expect(asked).toBe(2);
});

test('what is due is renewed before anybody is asked, and a part that takes too long ends itself alone', async () => {
  await using world = await createWorld();
  const { certificateId, user } = await issued(world, [ZONE]);
  await CertificateModel.updateOne({ _id: certificateId, accountId: user.id }, { renewAt: new Date(0) });
  const steps: string[] = [];
  const isOrdered = () => JobModel.exists({ accountId: user.id, name: 'issue-certificate', status: 'queued' });
  const renewalInfo: CertificateAuthority['renewalInfo'] = async (_chain, ends) => {
    steps.push((await isOrdered()) === null ? 'asked' : 'ordered, asked');
    timeouts.end();
    return never(ends);
  };
  const authority = { ...world.app.providers.authority, renewalInfo };
  using timeouts = holdTimeouts(5 * MINUTE_MS);
  await renewCertificatesJob.run({ ...renewJobOf(user.id), providers: { ...world.app.providers, authority } });
  expect(steps).toEqual(['ordered, asked']);
});

test('renewals wait for no server of an account', async () => {
  await using world = await createDnsChallengeWorld();
  const { user, caller, domainId } = await world.person();
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [] });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const due = { renewAt: new Date(0), rehearseAt: new Date(0) };
  await CertificateModel.updateOne({ _id: certificateId, accountId: user.id }, due);
  await leaveTwo({ user, caller });
  const asked: string[] = [];
  const request: Egress['request'] = (url) => {
    asked.push(url);
    return Promise.reject(new TypeError('broken'));
  };
  await renewCertificatesJob.run({
    ...renewJobOf(user.id),
    providers: { ...world.app.providers, egress: { request } },
  });
  expect(asked).toEqual([]);
  expect(await JobModel.exists({ accountId: user.id, name: 'issue-certificate', status: 'queued' })).not.toBe(null);
});

test('an order waits for name servers that are behind for three minutes in all, and then names one', async () => {
  await using world = await createDnsChallengeWorld({}, noWait);
  const { caller, domainId, user } = await world.person();
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [] });
  using timeouts = holdTimeouts(PUT_MS);
  const { dns } = world.app.providers;
  let looks = 0;
  const askNameServers: typeof dns.askNameServers = async (name, type, ends) => {
    looks += 1;
    const { zone, answers } = await dns.askNameServers(name, type, ends);
    if (looks === 1) return { zone, answers: answers.map((answer) => ({ ...answer, values: [] })) };
    timeouts.end();
    return never(ends);
  };
  Object.assign(world.app.providers, { dns: { ...dns, askNameServers } });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const { problem } = await caller.certificates.get({ certificateId });
  expect(problem).toMatchObject({ type: 'dnsUnseen', detail: expect.stringContaining('The name server ns.test') });
  expect(looks).toBe(2);
});

test('an order waits for a silent DNS provider for three minutes in all', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person();
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [] });
  using timeouts = holdTimeouts(PUT_MS);
  const at = async (boundary: string) => {
    if (boundary !== 'certificate:ordered') return;
    Object.assign(world.app.providers, { egress: silentAt('http', timeouts.end) });
  };
  Object.assign(world.app.providers, { faults: { at } });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const { problem } = await caller.certificates.get({ certificateId });
  expect(problem).toMatchObject({ type: 'dnsConnection', detail: expect.stringContaining('within 3 minutes') });
});
