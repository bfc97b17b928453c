import type { Page } from '@playwright/test';
import { faultyEntry, type RealApp, startRealApp } from '../support/real-app.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import { expect, nameDeployment, newcomer, test } from './fixtures.ts';

test.describe.configure({ timeout: 240_000 });

/** What `url` answers, asked for by the browser itself: Node does not know `*.localhost`. */
async function bodyOf(page: Page, url: string): Promise<string> {
  const visitor = await page.context().newPage();
  const answer = await visitor.goto(url);
  const body = (await answer?.text()) ?? '';
  await visitor.close();
  return body;
}

async function choose(page: Page, name: string, act: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: act }).click();
}

/** Where a release is held, as the process says it. */
function timesHeld(app: RealApp): number {
  return app.output().split('Held at processing:start').length - 1;
}

test('a release is cancelled and tried again; its site is renamed, moved and deleted', async ({
  page,
  folder,
  complaints,
}) => {
  // The site that is gone is asked for, and the browser writes that down.
  complaints.allow(/status of 404 .*\.localhost/);
  await writeSite(folder, twentyPages('After a second thought'));
  const app = await startRealApp({}, faultyEntry({ 'processing:start': 'hold' }));
  try {
    await newcomer(page, app.url);
    await page.goto(`${app.url}/new-deployment`);
    await page.getByLabel('Folder to publish').setInputFiles(folder);
    await nameDeployment(page, 'Pier one');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.waitForURL(/\/releases\/1$/);

    await test.step('Cancel, while it is held in a step', async () => {
      await expect(page.locator('[aria-current=step]')).toContainText('Processing');
      await expect.poll(() => timesHeld(app)).toBe(1);
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      app.child.kill('SIGUSR2');
      const panel = page.getByRole('region', { name: 'Cancelled', exact: true });
      await expect(panel).toContainText('Release 1 was cancelled');
      await expect(panel).toContainText('Nothing was live before.');
    });

    await test.step('Try again, until it is live', async () => {
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.waitForURL(/\/releases\/2$/);
      await expect.poll(() => timesHeld(app)).toBe(2);
      app.child.kill('SIGUSR2');
      const panel = page.getByLabel('Live', { exact: true });
      const address = await panel.getByRole('link', { name: 'Visit' }).getAttribute('href');
      expect(await bodyOf(page, address ?? '')).toContain('After a second thought');
    });

    await page.goto(page.url().replace(/\/releases\/2$/, ''));
    await expect(page.getByRole('heading', { name: 'Pier one' })).toBeVisible();
    const before = `http://pier-one.localhost:${app.sitesPort}/`;
    const after = `http://pier-two.localhost:${app.sitesPort}/`;

    await test.step('Rename: the address stays', async () => {
      await choose(page, 'Pier one', 'Rename');
      const dialog = page.getByRole('dialog', { name: 'Rename Pier one' });
      await dialog.getByLabel('Name').fill('Pier two');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await expect(page.getByRole('heading', { name: 'Pier two' })).toBeVisible();
      expect(await bodyOf(page, before)).toContain('After a second thought');
    });

    await test.step('Change the address: the site is at the new one, and no longer at the old one', async () => {
      await choose(page, 'Pier two', 'Change address');
      const dialog = page.getByRole('dialog', { name: 'Change the address of Pier two' });
      await expect(dialog).toContainText('Links to the old address stop working at once.');
      await dialog.getByLabel('Address').fill('pier-two');
      await dialog.getByRole('button', { name: 'Change address' }).click();
      await expect(dialog).toHaveCount(0);
      await expect.poll(() => bodyOf(page, after)).toContain('After a second thought');
      await expect.poll(() => bodyOf(page, before)).not.toContain('After a second thought');
    });

    await test.step('Delete: what is lost is named, and the name is typed', async () => {
      await choose(page, 'Pier two', 'Delete');
      const dialog = page.getByRole('alertdialog', { name: 'Delete Pier two?' });
      await expect(dialog).toContainText('goes off the air at once. 2 releases and their files are lost.');
      await expect(dialog).toContainText('This cannot be undone.');
      const confirm = dialog.getByRole('button', { name: 'Delete' });
      await expect(confirm).toBeDisabled();
      await dialog.getByLabel('Type Pier two to confirm').fill('Pier one');
      await expect(confirm).toBeDisabled();
      await dialog.getByLabel('Type Pier two to confirm').fill('Pier two');
      await confirm.click();
      await page.waitForURL('**/deployments');
      await expect(page.getByRole('main').getByRole('link', { name: 'Pier two' })).toHaveCount(0);
      await expect.poll(() => bodyOf(page, after)).not.toContain('After a second thought');
    });
  } finally {
    await page.goto('about:blank');
    await app[Symbol.asyncDispose]();
  }
});
