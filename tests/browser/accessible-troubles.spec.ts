import { fail } from '../specification/calls.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, newcomer, refusedCall, test } from './fixtures.ts';

test.use(STILL);

// A release that runs is looked at in acts.spec.ts, one that failed in platforms.spec.ts.
// What the server answers beside a database that stands still is held by tests/faults/database.test.ts.
test('a list that the server cannot answer, or that cannot be reached, is accessible', async ({ page, complaints }) => {
  complaints.allow(refusedCall(500, '/api/'));
  complaints.allow(/Failed to load resource: net::ERR_FAILED/);
  await newcomer(page);
  await page.goto('/dashboard');
  await page.waitForLoadState('networkidle');
  await page.route('**/api/trpc/**', (route) => fail(route, 'The database does not answer.'));
  await page.getByRole('link', { name: 'Active Deployments' }).first().click();
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  await expectAccessible(page, 'a list that the server cannot answer');
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Deployment History' }).first().click();
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  await expectAccessible(page, 'a list that cannot be reached');
});
