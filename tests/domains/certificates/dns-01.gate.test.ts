import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { AuthorityUseModel } from '../../../server/database/models/domains/authority-use.ts';
import { ChallengeRecordModel } from '../../../server/database/models/domains/challenge-record.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { ensureAll, removeLeftRecords, renewDue } from '../../../server/domains/certificates/maintenance.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { atFreePort } from '../../support/at-free-port.ts';
import { NAMES, ZONE } from '../../support/certified-world.ts';
import { CHALLENGE, createDnsChallengeWorld, FOREIGN } from '../../support/dns-challenge-world.ts';
import { startBind } from '../../support/name-servers.ts';
import { testEgress } from '../../support/platforms.ts';
import { KEY } from '../../support/rfc2136-under-test.ts';
import { handshake } from '../../support/tls-visitor.ts';

const { signal } = new AbortController();
/** The authority's output when it is given work. */
const ASKED_TO_LOOK = 'Pulled a task from the Tasks queue';
const ORDERED = 'POST /order-plz';
const noWait = { wait: async (_ms: number, ends: AbortSignal) => ends.throwIfAborted() };

/** The names of this domain do not lead here. */
async function pointElsewhere(domainId: string, accountId: string): Promise<void> {
  await DomainModel.updateOne({ _id: domainId, accountId }, { state: 'pending_dns', pointedNames: [] });
}

test('names that lead elsewhere are certified through the DNS connection, and what others have there stays', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person(NAMES);
  await pointElsewhere(domainId, user.id);
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const certificate = await caller.certificates.get({ certificateId });
  expect(certificate).toMatchObject({ state: 'issued', names: NAMES, problem: null });
  expect(world.pebble.output()).toContain(ORDERED);
  expect(certificate.history[0]?.detail).toContain('The proof was written through your DNS connection.');
  expect(world.pebble.output()).toContain(ASKED_TO_LOOK);
  expect(await world.texts()).toEqual([FOREIGN]);
  expect(await ChallengeRecordModel.countDocuments({ accountId: user.id })).toBe(0);
  await expect.poll(() => handshake(world.tlsPort, ZONE).then(() => 'served', String)).toBe('served');
  const { rehearsal } = await caller.certificates.rehearse({ certificateId });
  expect(rehearsal?.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  await ensureAll({ providers: world.app.providers, signal });
  expect((await caller.certificates.list()).items).toMatchObject([{ names: NAMES }]);
  await world.lab.registry.api('DELETE', `/zones/${ZONE}.`);
  expect((await caller.certificates.rehearse({ certificateId })).rehearsal?.checks).toContainEqual({
    ...{ id: 'challenge', verdict: 'fail', message: expect.stringContaining(`no longer holds ${ZONE}`) },
  });
});

test('two orders that answer at one name at once each find theirs, beside what others have there', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person();
  await pointElsewhere(domainId, user.id);
  // Each has written its answer before the authority looks at either.
  let [arrived, bothThere] = [0, (): void => undefined];
  const both = new Promise<void>((resolve) => {
    bothThere = resolve;
  });
  const seen: string[][] = [];
  const at = async (boundary: string) => {
    if (boundary !== 'certificate:answerable') return;
    arrived += 1;
    if (arrived === 2) {
      seen.push(await world.texts());
      bothThere();
    }
    await both;
  };
  Object.assign(world.app.providers, { faults: { at } });
  for (const wildcard of [false, true]) await caller.certificates.issue({ domainId, wildcard });
  await Promise.all([world.app.jobs.drain(), world.restartedJobs().drain()]);
  const { items } = await caller.certificates.list({ domainId });
  expect(items.map(({ state, problem }) => [state, problem])).toEqual([
    ['issued', null],
    ['issued', null],
  ]);
  expect(seen).toEqual([[expect.any(String), expect.any(String), expect.any(String)]]);
  expect(seen[0]).toContain(FOREIGN);
  expect(await world.texts()).toEqual([FOREIGN]);
});

test('without a connection that holds its zone a name that leads elsewhere is not ordered, nor a wildcard', async () => {
  await using world = await createDnsChallengeWorld();
  const person = await world.app.trialPerson();
  const domainId = await world.addDomain(person.user.id, [ZONE]);
  await pointElsewhere(domainId, person.user.id);
  const issue = (wildcard: boolean) => person.caller.certificates.issue({ domainId, wildcard });
  await expect(issue(false)).rejects.toMatchObject({ cause: { code: 'state_changed' } });
  await expect(issue(true)).rejects.toMatchObject({ cause: { code: 'zone_not_found' } });
});

test('a wildcard is proved at a bind9 by a key that may write nothing but the challenge', async () => {
  const records = `@ NS ns1\nns1 A 127.0.0.1\n@ A 203.0.113.9\n_acme-challenge TXT "${FOREIGN}"`;
  const clause = `update-policy { grant ${KEY.name} name ${CHALLENGE}. TXT; };`;
  await using world = await createDnsChallengeWorld();
  await world.lab.registry.api('DELETE', `/zones/${ZONE}.`);
  await using server = await startBind({ port: world.lab.port, keys: [KEY], zones: { [ZONE]: { records, clause } } });
  await world.lab.resolver.control('stub_add', ZONE, `${server.address}@${server.port}`);
  await world.lab.delegate(ZONE, { [`ns1.${ZONE}`]: server.address });
  const { caller, user } = await world.app.trialPerson();
  const { name: keyName, algorithm, secret } = KEY;
  const fields = { server: server.address, port: server.port, zone: ZONE, keyName, algorithm, secret };
  await caller.connections.connect({ provider: 'rfc2136', fields });
  const domainId = await world.addDomain(user.id, [ZONE]);
  const { id: certificateId } = await caller.certificates.issue({ domainId, wildcard: true });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({
    ...{ state: 'issued', names: [`*.${ZONE}`], problem: null },
  });
  const { answers } = await world.lab.client().askNameServers(CHALLENGE, 'TXT', signal);
  expect(answers.map(({ values }) => values)).toEqual([[FOREIGN]]);
});

test('where another server answers for the name, it is proved by DNS instead', async () => {
  await using web = await startOther();
  const egress = testEgress();
  const redirected: typeof egress = {
    request: (url, request, read) =>
      egress.request(url.replace(/^http:\/\/203\.0\.113\.9\//, `http://${web.host}/`), request, read),
  };
  await using world = await createDnsChallengeWorld({}, { egress: redirected });
  const { caller, domainId } = await world.person();
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  expect(web.asked()).toBe(1);
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'issued', problem: null });
});

test('what the authority could not reach at port 80 is proved by DNS at the next try', async () => {
  await using world = await createDnsChallengeWorld({ [`${ZONE} A`]: ['127.0.0.1'] });
  const { caller, domainId } = await world.person();
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ problem: { type: 'connection' } });
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'issued', problem: null });
});

test('the authority is not asked before every name server shows the answer', async () => {
  await using world = await createDnsChallengeWorld({}, noWait);
  const other = { [`${ZONE} NS`]: ['ns.test.', `late.${ZONE}.`], [`late.${ZONE} A`]: ['127.0.0.1'] };
  await using late = await startBind({
    port: world.lab.port,
    zones: { [ZONE]: { records: `@ NS ns.test.\n@ NS late\nlate A 127.0.0.1` } },
  });
  await world.lab.registry.writeSets(ZONE, other);
  const { caller, domainId, user } = await world.person();
  await pointElsewhere(domainId, user.id);
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const { problem } = await caller.certificates.get({ certificateId });
  expect(problem).toMatchObject({ type: 'dnsUnseen', detail: expect.stringContaining(`late.${ZONE}`) });
  expect(world.pebble.output()).not.toContain(ASKED_TO_LOOK);
  expect(late.output()).not.toBe('');
  expect(await world.texts()).toEqual([FOREIGN]);
  const domain = await DomainModel.findOne({ _id: domainId, accountId: user.id }).lean();
  expect(domain?.zoneHolder?.connectionId).toBe(null);
});

test('an order that comes to nothing at the DNS provider of the account counts as a failure of its name', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person();
  await pointElsewhere(domainId, user.id);
  const at = async (boundary: string) => {
    if (boundary === 'certificate:challenge-kept') throw new AppError('records_refused', 'Not here.');
  };
  Object.assign(world.app.providers, { faults: { at } });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).problem?.type).toBe('dnsConnection');
  expect(await AuthorityUseModel.countDocuments({ key: { $regex: `failures ${ZONE}$` } })).toBe(1);
});

test('a run that was cut off with its answer in the zone is gone on with, and leaves nothing there', async () => {
  await using world = await createDnsChallengeWorld();
  const { caller, domainId, user } = await world.person();
  await pointElsewhere(domainId, user.id);
  // Like a process that is killed: whatever it had in hand never goes on.
  const cut = new Promise<void>((reached) => {
    const at = (boundary: string) => {
      if (boundary !== 'certificate:challenge-written') return Promise.resolve();
      reached();
      return new Promise<void>(() => undefined);
    };
    Object.assign(world.app.providers, { faults: { at } });
  });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  void world.app.jobs.drain();
  await cut;
  expect(await world.texts()).toHaveLength(2);
  Object.assign(world.app.providers, { faults: undefined });
  await JobModel.updateMany({ accountId: user.id, status: 'running' }, { leaseUntil: new Date(0) });
  await world.restartedJobs().drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'issued', problem: null });
  expect(await world.texts()).toEqual([FOREIGN]);
});

test('an answer whose certificate is gone is taken away by the maintenance', async () => {
  await using world = await createDnsChallengeWorld({ [`${CHALLENGE} TXT`]: [`"${FOREIGN}"`, '"ours"'] });
  const { user, caller } = await world.person();
  const [connection] = (await caller.connections.list()).items;
  const zone = { id: `${ZONE}.`, name: ZONE, apexAlias: null };
  const left = { certificateId: 'gone', connectionId: connection?.id ?? '', zone, name: CHALLENGE, value: 'ours' };
  await ChallengeRecordModel.create({ _id: 'left', accountId: user.id, ...left, neededUntil: new Date() });
  await removeLeftRecords({ providers: world.app.providers, signal });
  expect(await world.texts()).toEqual([FOREIGN]);
  expect(await ChallengeRecordModel.countDocuments({ accountId: user.id })).toBe(0);
});

test('a challenge that a CNAME leads elsewhere is answered there, or told where that is nobody of ours', async () => {
  await using world = await createDnsChallengeWorld();
  const led = (target: string) => world.lab.registry.writeSets(ZONE, { [`${CHALLENGE} CNAME`]: [target] });
  await world.lab.registry.writeSets(ZONE, { [`${CHALLENGE} TXT`]: [] });
  await world.lab.registry.createZone('auth.test', { 'auth.test NS': ['ns.test.'] });
  await led('x.foreign.test.');
  const { caller, domainId, user } = await world.person();
  await pointElsewhere(domainId, user.id);
  const issuing = caller.certificates.issue({ domainId, wildcard: true });
  const told = `A CNAME record points ${CHALLENGE} to x.foreign.test, and none of your DNS connections holds x.foreign.test.`;
  await expect(issuing).rejects.toMatchObject({
    cause: { code: 'zone_not_found', hint: expect.stringContaining(told) },
  });
  expect(world.pebble.output()).not.toContain(ORDERED);
  await led('x.auth.test.');
  const { id: certificateId } = await caller.certificates.issue({ domainId, wildcard: true });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({
    ...{ state: 'issued', names: [`*.${ZONE}`], problem: null },
  });
  expect(await world.texts()).toEqual([]);
  const { rrsets } = (await world.lab.registry.api('GET', '/zones/auth.test.')) as { rrsets: { type: string }[] };
  expect(rrsets.map(({ type }) => type).sort()).toEqual(['NS', 'SOA']);
  const { rehearsal } = await caller.certificates.rehearse({ certificateId });
  expect(rehearsal?.checks[0]).toMatchObject({
    ...{ verdict: 'pass', message: 'The proof is written to auth.test through your DNS connection.' },
  });
});

test('a CAA record that allows our authority by DNS alone is followed, and one for another is told', async () => {
  const caa = (value: string) => ({ [`${ZONE} CAA`]: [value] });
  await using world = await createDnsChallengeWorld(caa('0 issue "pebble.letsencrypt.org; validationmethods=dns-01"'));
  const { caller, domainId } = await world.person();
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ state: 'issued', problem: null });
  await world.lab.registry.writeSets(ZONE, caa('0 issue "ca.example"'));
  await caller.certificates.renew({ certificateId });
  await renewDue({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  const { problem } = await caller.certificates.get({ certificateId });
  expect(problem?.type).toBe('caa');
  expect(problem?.detail).toContain('Add the record 0 issue "pebble.letsencrypt.org".');
});

test('where an alias leads to a zone that forbids our authority, the other name is certified without it', async () => {
  const [apex, www] = NAMES;
  await using world = await createDnsChallengeWorld({ [`${www} CNAME`]: ['shop.test.'] });
  const forbidding = { 'shop.test A': ['203.0.113.9'], 'shop.test CAA': ['0 issue "ca.example"'] };
  await world.lab.registry.createZone('shop.test', { 'shop.test NS': ['ns.test.'], ...forbidding });
  const { caller, domainId, user } = await world.person(NAMES);
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [apex] });
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const certificate = await caller.certificates.get({ certificateId });
  expect(certificate).toMatchObject({ state: 'issued', names: NAMES, uncovered: [www], problem: { type: 'caa' } });
  expect(certificate.problem?.message).toBe(
    `The CAA records of shop.test do not allow pebble.letsencrypt.org to issue certificates. They apply to ${www} because its CNAME record leads there. Point ${www} to your deployment instead.`,
  );
  await expect.poll(() => handshake(world.tlsPort, apex).then(() => 'served', String)).toBe('served');
});

/** Somebody else's web server. */
async function startOther() {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(404).end('no such page');
  });
  const listening = await atFreePort(server);
  return { ...listening, host: `127.0.0.1:${listening.port}`, asked: () => asked };
}
