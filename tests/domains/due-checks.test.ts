import { expect, test } from 'vitest';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { enqueueDueChecks } from '../../server/domains/due-checks.ts';
import { createTestApp } from '../support/app.ts';

const signal = new AbortController().signal;
const COUNT = 120;

test('a domain whose check waits already costs no transaction', async () => {
  await using app = await createTestApp();
  const { user } = await app.person();
  const domains = Array.from({ length: COUNT }, () => {
    const name = `${newId()}.test`;
    return {
      ...{ _id: newId(), accountId: user.id, deploymentId: newId(), name, unit: name, servedName: name },
      ...{ state: 'active' as const, heldNames: [name], pointedNames: [name], provedAt: new Date() },
      proof: { name: `_fairlead.${name}`, value: newId() },
      ...{ nextCheckAt: new Date(0), quickFrom: new Date(0) },
    };
  });
  await DomainModel.insertMany(domains);
  let transactions = 0;
  const run = () =>
    enqueueDueChecks(app.clock.now(), signal, (work) => {
      transactions += 1;
      return transaction(work);
    });

  expect([await run(), transactions]).toEqual([COUNT, COUNT]);
  expect([await run(), transactions]).toEqual([0, COUNT]);
  const waiting = { accountId: user.id, status: 'queued' as const, name: 'check-domain' };
  const job = await JobModel.findOne(waiting).orFail();
  await JobModel.deleteOne({ _id: job._id, accountId: user.id });
  expect([await run(), transactions]).toEqual([1, COUNT + 1]);
});
