import { expect, test } from 'vitest';
import { AcmeAccountModel } from '../../../server/database/models/domains/acme-account.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import {
  isGranted,
  type PersistentGrant,
  persistentNameOf,
  persistentText,
} from '../../../server/domains/certificates/authority/persistent-record.ts';
import { ZONE } from '../../support/certified-world.ts';
import { createDnsChallengeWorld, textsAt } from '../../support/dns-challenge-world.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const ACCOUNT = 'https://ca.example/acct/1';
const GRANT: PersistentGrant = { issuers: ['ca.example', 'other.example'], accountUrl: ACCOUNT, isWildcard: false };
const WILD = { ...GRANT, isWildcard: true };
const RECORD = persistentNameOf(ZONE);

test('what is written grants what it was written for', () => {
  const [plain, wild] = [persistentText(GRANT) ?? '', persistentText(WILD) ?? ''];
  expect(plain).toBe('ca.example; accounturi=https://ca.example/acct/1');
  expect([isGranted(plain, GRANT, NOW), isGranted(plain, WILD, NOW)]).toEqual([true, false]);
  expect([isGranted(wild, GRANT, NOW), isGranted(wild, WILD, NOW)]).toEqual([true, true]);
  expect(persistentNameOf(`*.${ZONE}`)).toBe(RECORD);
  expect(persistentText({ ...GRANT, issuers: [] })).toBe(null);
  expect(persistentText({ ...GRANT, accountUrl: '' })).toBe(null);
});

test.each([
  ['other.example;accounturi=https://ca.example/acct/1', true],
  ['CA.example ; AccountURI = https://ca.example/acct/1 ; Policy=WildCard', true],
  [`ca.example; accounturi=${ACCOUNT}; persistUntil=1800000000`, true],
  [`ca.example; accounturi=${ACCOUNT}; persistUntil=1700000000`, false],
  [`ca.example; accounturi=${ACCOUNT}; persistUntil=soon`, false],
  [`ca.example; accounturi=${ACCOUNT}; accounturi=${ACCOUNT}`, false],
  [`ca.example; accounturi=${ACCOUNT};`, false],
  [`ca.example; accounturi=${ACCOUNT}0`, false],
  [`evil.example; accounturi=${ACCOUNT}`, false],
  ['ca.example', false],
  ['', false],
])('%j: granted %s', (text, isIt) => {
  expect(isGranted(text, GRANT, NOW)).toBe(isIt);
});

/** A certificate was had through the connection, and the authority has offered persistent records meanwhile. */
async function certified() {
  const world = await createDnsChallengeWorld();
  const person = await world.person();
  const own = { _id: person.domainId, accountId: person.user.id };
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Harbour', platform: 'built-in' });
  await DomainModel.updateOne(own, { deploymentId, state: 'pending_dns', pointedNames: [] });
  const { id: certificateId } = await person.caller.certificates.issue({ domainId: person.domainId });
  await world.app.jobs.drain();
  const renew = async () => {
    await person.caller.certificates.renew({ certificateId });
    await world.app.jobs.drain();
    return person.caller.certificates.get({ certificateId });
  };
  const account = await AcmeAccountModel.findOne({ _id: { $gt: '' } }).lean();
  return { ...world, ...person, certificateId, renew, account };
}

test('the record is offered in the plan once, and a later renewal writes nothing', async () => {
  await using world = await certified();
  expect(world.account?.persistIssuers).toEqual(['pebble.letsencrypt.org']);
  const value = `pebble.letsencrypt.org; accounturi=${world.account?.url}`;
  const { domains, connections } = world.caller;
  const offered = await domains.plan({ domainId: world.domainId });
  expect(offered.changes).toContainEqual({
    ...{ action: 'add', type: 'TXT', name: RECORD, before: null, after: { ttl: 300, values: [value] } },
  });
  expect(await textsAt(world.lab.registry, RECORD)).toEqual([]);
  await domains.applyPlan({ planId: offered.planId });
  await world.app.jobs.drain();
  expect(await textsAt(world.lab.registry, RECORD)).toEqual([value]);
  const again = await domains.plan({ domainId: world.domainId });
  expect(again.changes.find(({ name }) => name === RECORD)?.action).toBe('leave');

  const [connection] = (await connections.list()).items;
  await connections.remove({ connectionId: connection?.id ?? '' });
  const renewed = await world.renew();
  expect(renewed).toMatchObject({ state: 'issued', problem: null });
  expect(renewed.history[0]?.detail).toContain('The persistent record of the domain was the proof.');
});

test('whoever copies records by hand finds it beside them, as one that the domain does without', async () => {
  await using world = await certified();
  const value = `pebble.letsencrypt.org; accounturi=${world.account?.url}`;
  const shown = async () => {
    const { records } = await world.caller.domains.check({ domainId: world.domainId });
    return records.find(({ name }) => name === RECORD);
  };
  const record = { type: 'TXT', value, purpose: 'certificate', required: false };
  expect(await shown()).toMatchObject({ ...record, state: 'missing' });
  await world.lab.registry.writeSets(ZONE, { [`${RECORD} TXT`]: [`"${value}"`] });
  await expect.poll(async () => (await shown())?.state).toBe('ok');
});

test('a record that lets another account have the certificate is none, and one of ours is taken before a connection', async () => {
  await using world = await certified();
  const proofAfter = async (url: string | null | undefined) => {
    const text = `"pebble.letsencrypt.org; accounturi=${url}"`;
    await world.lab.registry.writeSets(ZONE, { [`${RECORD} TXT`]: [text] });
    const { rehearsal } = await world.caller.certificates.rehearse({ certificateId: world.certificateId });
    return rehearsal?.checks.find(({ id }) => id === 'challenge')?.message;
  };
  expect(await proofAfter('https://localhost/another')).toContain('through your DNS connection');
  expect(await proofAfter(world.account?.url)).toContain('The persistent record of this domain is the proof');
});
