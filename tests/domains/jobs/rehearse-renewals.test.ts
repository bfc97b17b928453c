import { expect, test } from 'vitest';
import type { Rehearsal } from '../../../routers/schemas/certificates.ts';
import { NO_ACCOUNT } from '../../../server/database/models/account-scope.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { storeRehearsal } from '../../../server/domains/certificates/store-rehearsal.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';
import type { Egress } from '../../../server/lib/egress/egress.ts';
import { enqueueJob } from '../../../server/queue/queue.ts';
import { createTestApp } from '../../support/app.ts';
import { createWorld, issued, ZONE } from '../../support/certified-world.ts';
import { testEgress } from '../../support/platforms.ts';

const OTHER = `other.${ZONE}`;

test('a certificate that cannot be tried ahead keeps no other from it', async () => {
  await using world = await createWorld();
  const { caller, certificateId: first, user } = await issued(world, [ZONE]);
  const domainId = await world.addDomain(user.id, [OTHER]);
  const { id: second } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  const due = { rehearseAt: new Date(1_000), rehearsal: null };
  await CertificateModel.updateMany({ accountId: user.id }, { $set: due });
  await CertificateModel.updateOne({ _id: first, accountId: user.id }, { rehearseAt: new Date(0) });
  const egress = testEgress();
  const request: Egress['request'] = (url, ...rest) =>
    url.startsWith(`http://${ZONE}/`) ? Promise.reject(new TypeError('broken')) : egress.request(url, ...rest);
  Object.assign(world.app.providers, { egress: { request } });
  const job = { name: 'rehearse-renewals' as const, payload: {}, accountId: NO_ACCOUNT };
  await transaction((session) => enqueueJob(session, job));
  await world.app.jobs.drain();
  const read = (_id: string) => CertificateModel.findOne({ _id, accountId: user.id }).lean();
  expect((await read(second))?.rehearsal?.checks).not.toBe(undefined);
  expect((await read(first))?.rehearseAt?.getTime()).toBeGreaterThan(Date.now());
});

test('a renewal is rehearsed once a week, and that of a short certificate in good time', async () => {
  await using app = await createTestApp();
  const at = app.clock.now();
  const providers = { ...app.providers, now: () => at };
  const rehearsal: Rehearsal = { at, checks: [{ id: 'challenge', verdict: 'pass', message: 'It answers.' }] };
  for (const [lifetimeMs, waitMs] of [
    [90 * DAY_MS, 7 * DAY_MS],
    [160 * HOUR_MS, 40 * HOUR_MS],
  ] as const) {
    const place = { _id: newId(), accountId: 'ada' };
    const issued = {
      ...{ names: [ZONE], chain: 'CHAIN', key: 'KEY', serial: '0a', issuer: 'An authority', authorityId: 'ca.test' },
      ...{ chosen: 0.5, signedAt: at, notBefore: at, notAfter: new Date(at.getTime() + lifetimeMs) },
    };
    const row = { ...place, domainId: newId(), names: [ZONE], state: 'issued' as const, history: [] };
    await CertificateModel.create({ ...row, issued, rehearseAt: at });
    const stored = { certificateId: place._id, accountId: place.accountId };
    await transaction((session) => storeRehearsal(session, providers, stored, { rehearsal, isByHand: false }));
    const { rehearseAt } = (await CertificateModel.findOne(place).lean()) ?? {};
    expect(rehearseAt).toEqual(new Date(at.getTime() + waitMs));
  }
});
