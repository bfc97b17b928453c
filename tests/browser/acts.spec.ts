import { faultyEntry, type RealApp, startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { ask } from '../support/supervised-app.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, newcomer, testWithOwn } from './fixtures.ts';
import { expectLive, publishFolder } from './publishing.ts';

/** Each of its releases is held in a step until the test lets it go on. */
const test = testWithOwn(() => startRealApp({}, faultyEntry({ 'processing:start': 'hold' })));

test.use(STILL);

/** Returns how often a release was held, by the output of the process. */
function timesHeld(app: RealApp): number {
  return app.output().split('Held at processing:start').length - 1;
}

test('a release that runs is found by a reload, accessible, is cancelled and tried again', async ({
  page,
  folder,
  ownApp: app,
}) => {
  const heldBefore = timesHeld(app);
  await writeSite(folder, { 'index.html': '<h1>After a second thought</h1>' });
  await newcomer(page);
  await publishFolder(page, folder, 'Pier one');
  const steps = page.getByRole('list', { name: 'Steps of the release' });
  const current = steps.locator('[aria-current=step]');
  await expect.poll(() => timesHeld(app)).toBe(heldBefore + 1);
  await expectAccessible(page, 'a release that runs');
  await page.getByRole('link', { name: 'Active Deployments' }).click();
  await expect(page.getByText('Publishing', { exact: true }).first()).toBeVisible();
  await expectAccessible(page, 'a list with a release that runs');
  await page.goBack();

  await page.reload();
  await expect(page.getByRole('heading', { name: 'Release 1' })).toBeVisible();
  await expect(current).toContainText('The host puts the files in place');
  await expect(steps.getByRole('listitem').last()).toContainText('Switch on');
  await expect(page.getByLabel('Live', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  app.child.kill('SIGUSR2');
  const cancelled = page.getByRole('region', { name: 'Cancelled', exact: true });
  await expect(cancelled).toContainText('Release 1 was cancelled');
  await expect(cancelled).toContainText('Nothing was live before.');

  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(/\/releases\/2$/);
  await expect.poll(() => timesHeld(app)).toBe(heldBefore + 2);
  app.child.kill('SIGUSR2');
  const address = await expectLive(page);
  await expect(steps.getByText('Switched on')).toBeVisible();
  // Node knows no names below `localhost`.
  expect((await ask(address)).body).toContain('After a second thought');
});
