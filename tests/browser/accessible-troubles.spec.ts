import { fail } from '../specification/calls.ts';
import { clientOf, openAccount, startPublish } from '../support/api-account.ts';
import { faultyEntry, startRealApp } from '../support/real-app.ts';
import { twentyPages } from '../support/sites.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, logIn, newCredentials, newcomer, refusedCall, seeDisclaimer, testWithOwn } from './fixtures.ts';

/** Its releases are held in a step and fail in the next. */
const test = testWithOwn(() =>
  startRealApp({}, faultyEntry({ 'processing:start': 'hold', 'verifying:start': 'fail' })),
);

test.use(STILL);

test('a release that runs, and one that failed, are accessible', async ({ page, ownApp: app }) => {
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const { id: deploymentId } = await clientOf(account).deployments.create.mutate({
    name: 'a site on its way',
    platform: 'built-in',
  });
  await startPublish(account, { deploymentId }, twentyPages());
  await seeDisclaimer(page);
  await logIn(page, credentials);
  await page.goto(`/deployments/${deploymentId}/releases/1`);
  await expect(page.locator('[aria-current=step]')).toContainText('Processing');
  await expectAccessible(page, 'a release that runs');
  await page.goto('/deployments');
  await expect(page.getByText('Deploying', { exact: true }).first()).toBeVisible();
  await expectAccessible(page, 'a list with a release that runs');

  app.child.kill('SIGUSR2');
  await page.goto(`/deployments/${deploymentId}/releases/1`);
  await expect(page.getByLabel('Failed', { exact: true }).first()).toContainText('failed while verifying');
  await expectAccessible(page, 'a release that failed');
});

// What the server answers beside a database that stands still is held by tests/faults/database.test.ts.
test('a list that the server cannot answer, or that cannot be reached, is accessible', async ({ page, complaints }) => {
  complaints.allow(refusedCall(500, '/api/'));
  complaints.allow(/Failed to load resource: net::ERR_FAILED/);
  await newcomer(page);
  await page.waitForLoadState('networkidle');
  await page.route('**/api/trpc/**', (route) => fail(route, 'The database does not answer.'));
  await page.getByRole('link', { name: 'Active Deployments' }).first().click();
  await expect(page.getByRole('alert')).toContainText('could not be fetched');
  await expectAccessible(page, 'a list that the server cannot answer');
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Deployment History' }).first().click();
  await expect(page.getByRole('alert')).toContainText('could not be fetched');
  await expectAccessible(page, 'a list that cannot be reached');
});
