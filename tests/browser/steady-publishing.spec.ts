import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { twentyPages, writeSite } from '../support/sites.ts';
import { SMALL } from './fits.ts';
import { expect, nameDeployment, newcomer, refusedCall, test } from './fixtures.ts';
import { chooseFolder, expectLive } from './publishing.ts';
import { expectSteady, holdPastClicks, LARGE, watchShifts } from './shifts.ts';

/** Clicks and waits until release `number` is live by it. */
async function expectSteadyRelease(page: Page, button: Locator, number: number): Promise<void> {
  const steps = page.getByRole('list', { name: 'Steps of the release' }).getByRole('listitem');
  // What the chosen files show has come by then.
  await expect(button).toBeEnabled();
  await expectSteady(page, `release ${number}`, async () => {
    await button.click();
    await expect(steps).toHaveCount(3);
    await expect(steps.first()).toBeInViewport();
    await page.waitForURL(`**/releases/${number}`);
    await expectLive(page);
    await expect(steps).toHaveCount(3);
  });
}

/** Refuses the next release, once all files of it have been sent. */
async function refuseRelease(page: Page): Promise<void> {
  const error = { json: { message: 'The store is full.', code: -32_000, data: { code: 'conflict', requestId: 'r' } } };
  await page.route('**/api/trpc/releases.create*', (route) => route.fulfill({ status: 409, json: [{ error }] }), {
    times: 1,
  });
}

test('nothing jumps from Publish to live, where it stops and goes on, once more and back, and the steps stay the same', async ({
  page,
  folder,
  complaints,
}) => {
  complaints.allow(refusedCall(409, 'releases.create'));
  await newcomer(page);
  // Below its banner a telephone shows no step.
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Confirm later' }).click();
  await page.addInitScript(watchShifts);
  await holdPastClicks(page);
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  // Choosers come to the test while somebody listens.
  page.on('filechooser', () => {});
  for (const size of [LARGE, SMALL]) {
    await writeSite(folder, twentyPages('Harbour'));
    await page.setViewportSize(size);
    await page.goto('/new-deployment');
    await chooseFolder(page, folder);
    await nameDeployment(page, `Steady ${size.width}`);
    await refuseRelease(page);
    await expect(publish).toBeEnabled();
    await expectSteady(page, 'a publication that stops', async () => {
      await publish.click();
      await expect(page.getByText('The store is full.')).toBeVisible();
    });
    await expectSteadyRelease(page, page.getByRole('button', { name: 'Try again' }), 1);

    await writeSite(folder, { 'index.html': '<h1>Quay</h1>' });
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('link', { name: 'Publish again' }).click();
    await (await chooser).setFiles(folder);
    await expectSteadyRelease(page, publish, 2);

    await page.getByRole('button', { name: 'Roll back to release 1' }).click();
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1' });
    await expectSteadyRelease(page, confirm, 1);
  }
});

test('nothing jumps from the act to live in Quick Deploy, Guided and All-in-One Deployment', async ({
  page,
  folder,
}) => {
  await newcomer(page);
  await page.addInitScript(watchShifts);
  await holdPastClicks(page);
  page.on('filechooser', () => {});
  for (const size of [LARGE, SMALL]) {
    const siteOf = (way: string) =>
      writeSite(join(folder, `${way} ${size.width}`), { 'index.html': `<h1>${way} ${size.width}</h1>` });
    const expectSteadyTo = async (way: string, end: Locator) => {
      const publish = page.getByRole('button', { name: 'Publish', exact: true });
      await expect(publish).toBeEnabled();
      await expectSteady(page, way, async () => {
        await publish.click();
        await expect(end).toBeVisible();
      });
    };
    await page.setViewportSize(size);
    const quick = await siteOf('quick');
    await page.goto('/quick-deploy');
    await expectSteady(page, 'Quick Deploy', async () => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a folder' }).click();
      await (await chooser).setFiles(quick);
      await expectLive(page);
    });
    // Beside one another a step moves no other: what comes after Publish is the same in Guided Deployment.
    if (size === LARGE) continue;

    await page.goto('/guided-deployment');
    await chooseFolder(page, await siteOf('guided'));
    for (const _question of ['files', 'place', 'name', 'domain'])
      await page.getByRole('button', { name: 'Next' }).click();
    await expect(page.getByText('Will be live at')).toBeVisible();
    await expectSteadyTo('Guided Deployment', page.getByLabel('Live', { exact: true }));

    await page.goto('/unified-deployment');
    await chooseFolder(page, await siteOf('whole'));
    await expect(page.getByText('live at')).toBeVisible();
    await expectSteadyTo('All-in-One Deployment', page.getByText('5 of 5 stages done'));
  }
});
