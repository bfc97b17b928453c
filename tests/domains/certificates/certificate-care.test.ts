import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { expediteIssue } from '../../../server/domains/certificates/ensure.ts';
import { rehearseAll, renewDue } from '../../../server/domains/certificates/maintenance.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';
import { acmeClient } from '../../support/acme.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { issued, ZONE } from '../../support/certified-world.ts';
import { startRefusingAuthority } from '../../support/standins/acme.ts';

const signal = new AbortController().signal;

/** A certificate that serves, of somebody with a confirmed address, and an authority that refuses to renew it. */
async function createRefused() {
  const authority = await startRefusingAuthority();
  const world = await createCertifiedHost();
  const { app } = world;
  const { caller, user, certificateId } = await issued(world, [ZONE]);
  await UserModel.updateOne({ _id: user.id }, { $set: { emailConfirmedAt: new Date() } });
  const place = { _id: certificateId, accountId: user.id };
  app.providers.authority = acmeClient(authority);
  await app.jobs.drain();
  app.outbox.length = 0;
  const mails = async () => {
    await app.jobs.drain();
    return app.outbox.splice(0).map(({ kind, text }) => ({ kind, text }));
  };
  return {
    ...{ app, caller, certificateId, authority, mails, place },
    inNeed: async () => (await caller.certificates.list({ needsCare: true })).items.map(({ id }) => id),
    events: async (type: string) =>
      (await EventModel.find({ accountId: user.id, type }).sort({ seq: 1 }).lean()).map(({ payload }) => payload),
    async tryToRenew(refusal: { status: number; type: string }) {
      authority.refuseWith({ ...refusal, detail: 'Its words.' });
      await CertificateModel.updateOne(place, { renewAt: app.clock.now(), nextTryAt: null });
      await transaction((session) => expediteIssue(session, place));
      await app.jobs.drain();
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}

test('a renewal that fails is mailed once for its cause, however often it is tried again', async () => {
  await using refused = await createRefused();
  const { tryToRenew, mails, inNeed, events } = refused;
  expect(await inNeed()).toEqual([]);
  await tryToRenew({ status: 403, type: 'caa' });
  const [mail, ...others] = await mails();
  expect([mail?.kind, others]).toEqual(['renewal-failed', []]);
  expect(mail?.text).toMatch(
    /The CAA records of this name do not allow .* The current certificate works until \w+ \d+, \d{4}\./,
  );
  expect(mail?.text).toMatch(/\/domains\/\w+\n/);
  expect(await inNeed()).toEqual([refused.certificateId]);
  await tryToRenew({ status: 403, type: 'caa' });
  expect(await mails()).toEqual([]);
  await tryToRenew({ status: 400, type: 'dns' });
  expect(await mails()).toMatchObject([{ kind: 'renewal-failed' }]);
  // Back to what was told already.
  await tryToRenew({ status: 403, type: 'caa' });
  expect(await mails()).toEqual([]);
  expect(await events('ssl_status')).toEqual([
    { domain: ZONE, sslStatus: 'issued', isValid: true },
    { domain: ZONE, sslStatus: 'failed', isValid: true },
    { domain: ZONE, sslStatus: 'failed', isValid: true },
  ]);
});

test('what passes by itself is told when it has not for hours', async () => {
  await using refused = await createRefused();
  const { tryToRenew, mails, inNeed } = refused;
  for (let failures = 1; failures < 4; failures += 1) await tryToRenew({ status: 500, type: 'serverInternal' });
  expect([await mails(), await inNeed()]).toEqual([[], []]);
  await tryToRenew({ status: 500, type: 'serverInternal' });
  expect(await mails()).toMatchObject([{ kind: 'renewal-failed' }]);
  expect(await inNeed()).toEqual([refused.certificateId]);
});

test('a renewal that will fail is mailed when a second rehearsal has found the same, and again once it was mended', async () => {
  await using refused = await createRefused();
  const { app, authority, mails, inNeed, events, place, tryToRenew } = refused;
  const origin = new URL(authority.directoryUrl).origin;
  const paths = { newNonce: '/nonce', newAccount: '/account', newOrder: '/order', revokeCert: '/revoke' };
  const urls = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${origin}${path}`]));
  authority.showDirectory({ ...urls, meta: { caaIdentities: ['ours.test'] } });
  app.providers.authority = acmeClient(authority);
  const caa = { values: ['0 issue "theirs.test"'] };
  const { dns } = app.providers;
  app.providers.dns = { ...dns, caaOf: async () => ({ name: ZONE, values: caa.values }) };
  await CertificateModel.updateOne(place, { rehearseAt: app.clock.now() });
  const rehearse = async (): Promise<string[]> => {
    await rehearseAll({ providers: app.providers, signal });
    app.clock.advance(HOUR_MS);
    return (await mails()).map(({ kind }) => kind);
  };
  expect([await rehearse(), await inNeed()]).toEqual([[], []]);
  expect([await rehearse(), await inNeed()]).toEqual([['renewal-at-risk'], [place._id]]);
  expect(await rehearse()).toEqual([]);
  expect(await events('notification')).toMatchObject([
    { title: 'Certificate renewal will fail', variant: 'destructive' },
  ]);
  // The preflight right before an order finds the same: that is no news.
  await tryToRenew({ status: 500, type: 'serverInternal' });
  const { problem } = await refused.caller.certificates.get({ certificateId: place._id });
  expect(problem).toMatchObject({ type: 'caa', message: expect.stringContaining('0 issue "ours.test"') });
  expect(await mails()).toEqual([]);
  await CertificateModel.updateOne(place, { problem: null });

  caa.values = ['0 issue "ours.test"'];
  await rehearse();
  expect(await inNeed()).toEqual([]);
  caa.values = ['0 issue "theirs.test"'];
  app.clock.advance(7 * DAY_MS);
  expect([await rehearse(), await rehearse()]).toEqual([[], ['renewal-at-risk']]);
});

test('a certificate that runs out is told, and one whose renewal is late needs care', async () => {
  await using refused = await createRefused();
  const { app, inNeed, mails, events, place } = refused;
  const { renewAt, notAfter } = await refused.caller.certificates.get({ certificateId: place._id });
  const goTo = (at: Date | null, moreMs: number) =>
    app.clock.advance((at?.getTime() ?? 0) + moreMs - app.clock.now().getTime());
  goTo(renewAt, HOUR_MS);
  expect(await inNeed()).toEqual([]);
  goTo(renewAt, DAY_MS);
  expect(await inNeed()).toEqual([place._id]);
  goTo(notAfter, 1);
  await CertificateModel.updateOne(place, { order: { names: [], key: 'k', authorityId: 'a', startedAt: new Date() } });
  await renewDue({ providers: app.providers, signal });
  expect(await mails()).toMatchObject([{ kind: 'certificate-expired' }]);
  expect((await events('ssl_status')).at(-1)).toEqual({ domain: ZONE, sslStatus: 'expired', isValid: false });
  expect(await inNeed()).toEqual([place._id]);
});
