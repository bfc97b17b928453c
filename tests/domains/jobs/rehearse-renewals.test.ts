import { expect, test } from 'vitest';
import { NO_ACCOUNT } from '../../../server/database/models/account-scope.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { transaction } from '../../../server/database/mongo.ts';
import type { Egress } from '../../../server/lib/egress/egress.ts';
import { enqueueJob } from '../../../server/queue/queue.ts';
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
