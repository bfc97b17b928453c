import { basename, join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { writeSite } from '../support/sites.ts';
import { expect, nameDeployment, newcomer, test } from './fixtures.ts';
import { bodyOf } from './publishing.ts';

async function chooseFolder(page: Page, folder: string): Promise<void> {
  await page.getByLabel('Folder to publish').setInputFiles(folder);
}

/** Returns the answer of the site at the address that the page names, requested by the browser itself. */
async function liveBody(page: Page): Promise<string> {
  const visit = page.getByLabel('Live', { exact: true }).getByRole('link', { name: 'Visit' });
  return bodyOf(page, (await visit.getAttribute('href')) ?? '');
}

async function topOf(locator: Locator): Promise<number> {
  return (await locator.boundingBox())?.y ?? Number.NaN;
}

test('each of the three ways leads from a folder to a live site, on a page of its own', async ({ page, folder }) => {
  const clear = await writeSite(join(folder, 'harbour'), {
    'index.html': '<h1>Published at once</h1>',
    'about.html': '<h1>About</h1>',
  });
  const odd = await writeSite(join(folder, 'pier'), { 'about.html': '<h1>Asked about</h1>', '.env': 'KEY=1' });
  await newcomer(page);

  await test.step('Quick Deploy: a folder that raises no question is live without another click', async () => {
    await page.goto('/quick-deploy');
    await chooseFolder(page, clear);
    await page.waitForURL(/\/quick-deploy\?deployment=[0-9a-z]{20}$/);
    await expect(page.getByRole('heading', { name: 'harbour is live' })).toBeVisible();
    await expect(page.getByText('Switched on')).toBeVisible();
    expect(await liveBody(page)).toContain('Published at once');
    await page.reload();
    await expect(page.getByRole('heading', { name: 'harbour is live' })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Quick Deploy');
    const next = page.getByRole('region', { name: 'What next' });
    await next.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Harbour master');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await expect(page.getByRole('heading', { name: 'Harbour master is live' })).toBeVisible();
  });

  await test.step('Quick Deploy: what has to be decided is asked before anything is sent', async () => {
    const writes: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('deployments.create')) writes.push(request.url());
    });
    await page.getByRole('button', { name: 'Publish another' }).click();
    await chooseFolder(page, odd);
    await expect(page.getByText('Check what was found.')).toBeVisible();
    await expect(page.getByLabel(`Folder ${basename(odd)}`)).toContainText('.env');
    // What comes later than the button stands below it: above, the button would move away while it is pressed.
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    const reasons = page.getByText('Why the built-in host');
    await expect(reasons).toBeVisible();
    expect(await topOf(reasons)).toBeGreaterThan(await topOf(publish));
    await publish.click();
    await expect(page.getByRole('alertdialog', { name: 'Publish without a start page?' })).toBeVisible();
    expect(writes).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('Guided Deployment: by keyboard through every question, and what is typed outlives a reload', async () => {
    await page.goto('/guided-deployment');
    await expect(page.getByRole('heading', { level: 2, name: 'What do you want to publish?' })).toBeVisible();
    // The folder that waited on the other page is here; another takes its place.
    // Who closes the chooser without a choice keeps the folder.
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Replace' }).click();
    await chooser;
    await expect(page.getByLabel(`Folder ${basename(odd)}`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next' })).toBeEnabled();
    await chooseFolder(page, clear);
    await expect(page.getByLabel('Folder harbour')).toBeVisible();
    // A key is pressed on a button that is not to be used yet as well, and does nothing then.
    await expect(page.getByRole('button', { name: 'Next' })).toBeEnabled();
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'Where should it live?' })).toBeFocused();
    await expect(page.getByRole('radio', { name: 'Built-in host' })).toBeChecked();
    await expect(page.getByRole('button', { name: 'Next' })).toBeEnabled();
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'What should it be called?' })).toBeFocused();
    await page.getByLabel('Name', { exact: true }).fill('The guided pier');
    await page.reload();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('The guided pier');
    await expect(page.getByRole('button', { name: 'Next' })).toBeEnabled();
    await page.getByLabel('Name', { exact: true }).press('Enter');
    await expect(page.getByRole('heading', { name: 'Do you have a domain of your own?' })).toBeFocused();
    await expect(page.getByRole('radio', { name: 'No domain yet' })).toBeChecked();
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    const answers = page.getByRole('region', { name: 'Your answers' });
    await expect(answers).toContainText('harbour: 2 files');
    await expect(answers).toContainText('The guided pier');
    await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeEnabled();
    await page.getByRole('button', { name: 'Publish', exact: true }).press('Enter');
    await expect(page.getByRole('heading', { name: 'The guided pier is live' })).toBeVisible();
    expect(await liveBody(page)).toContain('Published at once');
  });

  await test.step('All-in-One Deployment: one pipeline, with what is not needed named in its place', async () => {
    await page.goto('/unified-deployment');
    await chooseFolder(page, clear);
    await nameDeployment(page, 'All in one');
    const stages = page.getByRole('list', { name: 'Pipeline' }).locator(':scope > li');
    await expect(stages).toHaveCount(8);
    for (const [later, text] of [
      ['Domain', 'Leave it empty if you have none'],
      ['DNS', 'needs no records from you'],
      ['Certificate', 'Only a domain of your own'],
    ] as const)
      await expect(stages.filter({ has: page.getByRole('heading', { name: later, exact: true }) })).toContainText(text);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'All in one is live' })).toBeVisible();
    await expect(stages).toHaveCount(8);
    await expect(page.getByText('5 of 5 stages done')).toBeVisible();
    await expect(stages.last()).toContainText('Checked');
    expect(await liveBody(page)).toContain('Published at once');
  });
});
