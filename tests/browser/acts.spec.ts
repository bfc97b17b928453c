import type { Page } from '@playwright/test';
import { faultyEntry, type RealApp, startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { ask } from '../support/supervised-app.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, nameDeployment, newcomer, testWithOwn } from './fixtures.ts';
import { expectLive, publishFolder } from './publishing.ts';

/** Each of its releases is held in a step until the test lets it go on. */
const test = testWithOwn(() => startRealApp({}, faultyEntry({ 'processing:start': 'hold' })));

test.use(STILL);

async function choose(page: Page, name: string, act: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: act }).click();
}

/** Node knows no names below `localhost`. */
async function bodyAt(address: string): Promise<string> {
  return (await ask(address)).body;
}

/** Returns how often a release was held, by the output of the process. */
function timesHeld(app: RealApp): number {
  return app.output().split('Held at processing:start').length - 1;
}

test('a release is cancelled and tried again; its site is renamed, moved and deleted', async ({
  page,
  folder,
  ownApp: app,
}) => {
  const heldBefore = timesHeld(app);
  await writeSite(folder, { 'index.html': '<h1>After a second thought</h1>' });
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, 'Pier one');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);

  await test.step('Cancel, while it is held in a step', async () => {
    await expect(page.locator('[aria-current=step]')).toContainText('Processing');
    await expect.poll(() => timesHeld(app)).toBe(heldBefore + 1);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    app.child.kill('SIGUSR2');
    const panel = page.getByRole('region', { name: 'Cancelled', exact: true });
    await expect(panel).toContainText('Release 1 was cancelled');
    await expect(panel).toContainText('Nothing was live before.');
  });

  await test.step('Try again, until it is live', async () => {
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/releases\/2$/);
    await expect.poll(() => timesHeld(app)).toBe(heldBefore + 2);
    app.child.kill('SIGUSR2');
    const panel = page.getByLabel('Live', { exact: true });
    const address = await panel.getByRole('link', { name: 'Visit' }).getAttribute('href');
    expect(await bodyAt(address ?? '')).toContain('After a second thought');
  });

  await page.goto(page.url().replace(/\/releases\/2$/, ''));
  await expect(page.getByRole('heading', { name: 'Pier one' })).toBeVisible();
  const oldAddress = `http://pier-one.localhost:${app.sitesPort}/`;
  const newAddress = `http://pier-two.localhost:${app.sitesPort}/`;

  await test.step('Rename: the address stays', async () => {
    await choose(page, 'Pier one', 'Rename');
    const dialog = page.getByRole('dialog', { name: 'Rename Pier one' });
    await dialog.getByLabel('Name').fill('Pier two');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expect(page.getByRole('heading', { name: 'Pier two' })).toBeVisible();
    expect(await bodyAt(oldAddress)).toContain('After a second thought');
  });

  await test.step('Change the address: the site is at the new one, and no longer at the old one', async () => {
    await choose(page, 'Pier two', 'Change address');
    const dialog = page.getByRole('dialog', { name: 'Change the address of Pier two' });
    await expect(dialog).toContainText('Links to the old address stop working at once.');
    await dialog.getByLabel('Address').fill('pier-two');
    await dialog.getByRole('button', { name: 'Change address' }).click();
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => bodyAt(newAddress)).toContain('After a second thought');
    await expect.poll(() => bodyAt(oldAddress)).not.toContain('After a second thought');
  });

  await test.step('Delete: what is lost is named, and the name is typed', async () => {
    await choose(page, 'Pier two', 'Delete');
    const dialog = page.getByRole('alertdialog', { name: 'Delete Pier two?' });
    await expect(dialog).toContainText('goes offline at once. 2 releases and their files are lost.');
    await expect(dialog).toContainText('This cannot be undone.');
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    await expect(confirm).toBeDisabled();
    await dialog.getByLabel('Type Pier two to confirm').fill('Pier one');
    await expect(confirm).toBeDisabled();
    await dialog.getByLabel('Type Pier two to confirm').fill('Pier two');
    await confirm.click();
    await page.waitForURL('**/deployments');
    await expect(page.getByRole('main').getByRole('link', { name: 'Pier two' })).toHaveCount(0);
    await expect.poll(() => bodyAt(newAddress)).not.toContain('After a second thought');
  });
});

test('a page that is reloaded in mid-release shows the steps that run, and then the site live', async ({
  page,
  folder,
  ownApp: app,
}) => {
  const heldBefore = timesHeld(app);
  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>' });
  await newcomer(page);
  await publishFolder(page, folder, 'reloaded');
  const steps = page.getByRole('list', { name: 'Steps of the release' });
  const current = steps.locator('[aria-current=step]');
  await expect(current).toContainText('Sending');
  await expect.poll(() => timesHeld(app)).toBe(heldBefore + 1);
  await expectAccessible(page, 'a release that runs');
  const other = await page.context().newPage();
  await other.goto('/deployments');
  await expect(other.getByText('Deploying', { exact: true }).first()).toBeVisible();
  await expectAccessible(other, 'a list with a release that runs');
  await other.close();

  await page.reload();

  await expect(page.getByRole('heading', { name: 'Release 1' })).toBeVisible();
  await expect(current).toContainText('Processing');
  await expect(steps.getByRole('listitem').last()).toContainText('Switch on');
  await expect(page.getByLabel('Live', { exact: true })).toHaveCount(0);
  app.child.kill('SIGUSR2');
  await expectLive(page);
  await expect(steps.getByText('Switched on')).toBeVisible();
});
