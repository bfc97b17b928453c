import { expect, test } from 'vitest';
import { MailModel } from '../../server/database/models/account/mail.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { findForbiddingCaa } from '../../server/domains/caa-watch.ts';
import { HOUR_MS } from '../../server/lib/durations.ts';
import { acmeClient } from '../support/acme.ts';
import { createTestApp } from '../support/app.ts';
import { createDomainApp } from '../support/domain-app.ts';
import { setsOf, startDomainLab } from '../support/domain-lab.ts';
import { startRefusingAuthority } from '../support/standins/acme.ts';

const ZONE = 'allowed.test';

test('CAA records at the target of an alias count only while the name leads here', async () => {
  await using app = await createTestApp();
  const theirs = (name: string) => ({ name, values: ['0 issue "theirs.test"'] });
  const known = { _id: 'its', accountId: 'owner', heldNames: [], pointedNames: [], zoneHolder: null, attached: null };
  const domain = {
    ...{ ...known, name: ZONE, servedName: ZONE, counterpart: `www.${ZONE}`, isForbiddenByCaa: false },
    state: 'pending_dns' as const,
  };
  const elsewhere = { isServedHere: false, addresses: [], alias: null, issuers: ['ours.test'] };
  const identities = async () => ['ours.test'];
  const authority = { ...app.providers.authority, isPublic: true, caaIdentities: identities };
  const codeOf = async (set: ReturnType<typeof theirs> | null, over = {}, target = elsewhere) => {
    const dns = { ...app.providers.dns, caaOf: async (name: string) => (name === ZONE ? null : set) };
    const found = await findForbiddingCaa(
      { authority, dns },
      { ...domain, ...over },
      target,
      AbortSignal.timeout(9_000),
    );
    return found == null ? found : found.code;
  };
  const pointed = { pointedNames: [ZONE, `www.${ZONE}`], heldNames: [ZONE, `www.${ZONE}`] };
  const here = { ...elsewhere, isServedHere: true };
  expect(await codeOf(theirs('shop.other.test'))).toBeNull();
  expect(await codeOf(theirs('shop.other.test'), pointed)).toBe('caa_forbids');
  expect(await codeOf(theirs(`www.${ZONE}`))).toBe('caa_forbids');
  expect(await codeOf(theirs(`www.${ZONE}`), {}, here), 'where no order covers it').toBeNull();
  expect(await codeOf(theirs(`www.${ZONE}`), pointed, here)).toBe('caa_forbids');
  expect(await codeOf(null, {}, { ...elsewhere, issuers: [] }), 'where no authority is known').toBeNull();
});

test('a CAA record that another hand adds against our authority is seen and told, and heals', async () => {
  await using lab = await startDomainLab({ resolved: [ZONE] });
  await using authority = await startRefusingAuthority();
  const { origin } = new URL(authority.directoryUrl);
  const paths = { newNonce: '/nonce', newAccount: '/account', newOrder: '/order', revokeCert: '/revoke' };
  const urls = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${origin}${path}`]));
  authority.showDirectory({ ...urls, meta: { caaIdentities: ['ours.test'] } });
  await using app = await createDomainApp(lab, { providers: { authority: acmeClient(authority) } });
  const { caller, user } = await app.trialPerson();
  await UserModel.updateOne({ _id: user.id }, { $set: { emailConfirmedAt: new Date() } });
  const { id: deploymentId } = await caller.deployments.create({ name: 'Allowed', platform: 'built-in' });
  await lab.zone(ZONE);
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: ZONE });
  const check = async (values: string[], afterMs = 2_000) => {
    await lab.write(ZONE, { [`${ZONE} CAA`]: values });
    app.clock.advance(afterMs);
    const { state, problem } = await caller.domains.check({ domainId });
    return [state, problem?.code, problem?.message, problem?.hint];
  };
  const well = ['active', undefined, undefined, undefined];
  const refused = [
    'caa_forbids',
    'The CAA records of allowed.test do not allow ours.test to issue certificates.',
    'Add a CAA record with 0 issue "ours.test" at allowed.test.',
  ];
  expect(await check(['0 issue "theirs.test"']), 'before its proof').toEqual(['unverified', ...refused]);
  await lab.write(ZONE, setsOf(records));
  expect(await check([])).toEqual(well);
  expect(await check(['0 issue "theirs.test"'])).toEqual(['active', ...refused]);
  await caller.deployments.create({ name: 'Made last', platform: 'built-in' });
  expect(await check(['0 issue "theirs.test"'], 61_000)).toEqual(['misconfigured', ...refused]);
  const events = await EventModel.find({ accountId: user.id, type: 'notification' }).lean();
  const told = { title: 'Domain needs attention', message: refused[1], variant: 'destructive', deploymentId };
  expect(events.map(({ payload }) => payload)).toContainEqual(told);
  const mails = await MailModel.find({ _id: { $gt: '' }, accountId: user.id, kind: 'domain-problem' }).lean();
  expect(mails.map(({ values }) => values.message)).toEqual([refused[1]]);
  expect((await caller.deployments.list()).items.map(({ name }) => name)).toEqual(['Allowed', 'Made last']);
  const { dns } = app.providers;
  const caaOf = () => Promise.reject(new Error('Nobody answers.'));
  Object.assign(app.providers, { dns: { ...dns, caaOf } });
  expect((await check([])).slice(0, 2), 'unread').toEqual(['misconfigured', 'caa_forbids']);
  Object.assign(app.providers, { dns });
  // The order that was refused for it waits no longer than the records do.
  const own = { accountId: user.id, domainId };
  const job = { name: 'issue-certificate', accountId: user.id } as const;
  const later = new Date(Date.now() + HOUR_MS);
  const refuse = async (detail: string, { failures = 1, at = app.clock.now() } = {}) => {
    const problem = { type: 'caa', message: 'Refused.', detail, at };
    const nextTryAt = new Date(app.clock.now().getTime() + HOUR_MS);
    await CertificateModel.updateOne(own, { problem, failures, nextTryAt });
    await JobModel.updateMany(job, { runAt: later });
  };
  await refuse('In other words.');
  const isDue = async () => {
    const { nextTryAt } = await CertificateModel.findOne(own).orFail();
    const [{ runAt } = { runAt: later }] = await JobModel.find({ ...job, status: 'queued' }).lean();
    return [(nextTryAt ?? later) <= app.clock.now(), runAt < later];
  };
  expect([await check(['0 issue "theirs.test"']), await isDue()]).toEqual([
    ['misconfigured', ...refused],
    [false, false],
  ]);
  expect(await check(['0 issue "theirs.test"', '0 issue "ours.test"'])).toEqual(well);
  expect(await isDue()).toEqual([true, true]);
  // No check has seen the records that an order met meanwhile.
  const checkedAt = app.clock.now();
  const isDueAfter = async (...refusal: Parameters<typeof refuse>) => {
    app.clock.advance(2_000);
    await refuse(...refusal);
    expect(await check(['0 issue "ours.test"'])).toEqual(well);
    return isDue();
  };
  expect(await isDueAfter('In other words.'), 'by the authority').toEqual([false, false]);
  expect(await isDueAfter('Refused.', { at: checkedAt }), 'before the last check').toEqual([false, false]);
  expect(await isDueAfter('Refused.', { failures: 4 }), 'again and again').toEqual([false, false]);
  expect(await isDueAfter('Refused.')).toEqual([true, true]);
  // Its certificate is nobody's business here.
  await JobModel.deleteMany({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' });
});
