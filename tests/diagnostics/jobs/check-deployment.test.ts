import { expect, test } from 'vitest';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { DeploymentHealthModel } from '../../../server/database/models/publishing/deployment-health.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { enqueueDueHealthChecks } from '../../../server/diagnostics/health.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { isAnother, nextHealthCheckAt } from '../../../server/publishing/publication/health-schedule.ts';
import { createPublishingApp, publish } from '../../support/publishing.ts';
import { refusalOf } from '../../support/refusal.ts';

test('what has changed is looked at soon, and what has worked for long seldom', () => {
  const now = new Date('2026-11-25T12:00:00Z');
  const after = (ageMs: number): number =>
    nextHealthCheckAt(new Date(now.getTime() - ageMs), now).getTime() - now.getTime();
  expect([0, 2 * HOUR_MS, 2 * DAY_MS, 90 * DAY_MS].map(after)).toEqual([
    ...[10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS],
  ]);
  const verdict = (one: 'pass' | 'fail' | 'unknown') => [{ id: 'url-up', verdict: one }];
  expect([isAnother(verdict('pass'), verdict('fail')), isAnother(verdict('pass'), verdict('unknown'))]).toEqual([
    ...[true, false],
  ]);
});

test('a deployment that went live is looked at by itself, and again at a press; one that goes is forgotten', async () => {
  await using app = await createPublishingApp();
  const { caller, ...person } = await app.trialPerson();
  const deployment = await caller.deployments.create({ name: 'watched', platform: 'built-in' });
  const deploymentId = deployment.id;
  const health = async () => (await caller.diagnostics.health({ deploymentIds: [deploymentId] })).items[0];
  expect(await health()).toBeUndefined();
  await publish(app, { caller, ...person }, deployment, { 'index.html': 'up' });
  expect(await health()).toMatchObject({ checks: [], checkedAt: null });

  const inTransaction = transaction;
  const look = () => enqueueDueHealthChecks(app.providers.now(), new AbortController().signal, inTransaction);
  expect(await look()).toBe(0);
  app.clock.advance(6 * MINUTE_MS);
  expect(await look()).toBe(1);
  await app.jobs.drain();
  expect((await health())?.checks).toMatchObject([{ id: 'url-up', verdict: 'pass' }]);

  // Until it has led here once, a domain is no place where visitors would be.
  const domain = await caller.domains.add({ deploymentId, name: 'claimed.test' });
  expect((await caller.diagnostics.check({ deploymentId })).checks).toMatchObject([{ id: 'url-up', verdict: 'pass' }]);
  await DomainModel.updateOne({ _id: domain.id, accountId: person.user.id }, { $set: { state: 'misconfigured' } });
  expect((await caller.diagnostics.check({ deploymentId })).checks[0]?.id).toBe('resolves');
  await DomainModel.deleteOne({ _id: domain.id, accountId: person.user.id });

  await app.host.stop();
  expect((await caller.diagnostics.check({ deploymentId })).checks).toMatchObject([{ id: 'url-up', verdict: 'fail' }]);
  expect((await health())?.checks).toMatchObject([{ id: 'url-up', verdict: 'fail' }]);
  const stranger = await app.trialPerson();
  expect((await stranger.caller.diagnostics.health({ deploymentIds: [deploymentId] })).items).toEqual([]);
  expect((await refusalOf(stranger.caller.diagnostics.check({ deploymentId }))).code).toBe('not_found');

  await caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect(await DeploymentHealthModel.countDocuments({ accountId: person.user.id })).toBe(0);
});
