import type { Locator, Page } from '@playwright/test';
import { startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { startReplit } from '../support/standins/replit/world.ts';
import { expect, nameDeployment, newcomer, testWithOwn } from './fixtures.ts';
import { chooseFolder, expectLive, publishAgain } from './publishing.ts';

const ONE = { 'index.html': '<!doctype html><title>One</title><h1>one</h1>', 'style.css': 'h1 { color: teal }' };
const TWO = { ...ONE, 'index.html': '<!doctype html><title>Two</title><h1>two</h1>' };

/** Looks at what is played in place of Replit. */
const test = testWithOwn(() => startRealApp({ EGRESS_ALLOW: '127.0.0.0/8,::1/128' }));

test('Replit: finished by hand with the archive, seen from outside, and changed', async ({ page, folder }) => {
  await using replit = await startReplit();
  await newcomer(page);
  await page.goto('/deploy/replit');
  await page.getByRole('link', { name: 'Publish to Replit' }).click();
  await writeSite(folder, ONE);
  await chooseFolder(page, folder);
  await nameDeployment(page, 'Quay by hand');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);

  const panel = page.getByLabel('Waiting for you', { exact: true });
  const address = replit.publishByHand('quay', TWO);
  const archive = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Download the archive' }).click();
  expect((await archive).suggestedFilename()).toMatch(/\.zip$/);
  await panel.getByLabel('Address at Replit').fill(address);
  await panel.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText(/is not the one of this release/).first()).toBeVisible();
  replit.publishByHand('quay', ONE);
  expect(await liveOnceChecked(page, panel)).toBe(address);

  await writeSite(folder, TWO);
  await publishAgain(page, folder, 2);
  await panel.getByLabel('Address at Replit').fill(address);
  await panel.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText(/is not the one of this release/).first()).toBeVisible();
  // Only now: the known address is looked at by itself as well, and the panel goes once the right page is there.
  replit.publishByHand('quay', TWO);
  expect(await liveOnceChecked(page, panel)).toBe(address);

  await page.goto(page.url().replace(/2$/, '1'));
  const superseded = page.getByLabel('Replaced', { exact: true });
  await expect(superseded).toContainText('To roll back, go to Replit');
  await expect(page.getByRole('button', { name: /^Roll back/ })).toHaveCount(0);
});

/** Asks for the look that would come by itself some seconds later, and may be there before. */
async function liveOnceChecked(page: Page, panel: Locator): Promise<string> {
  const live = page.getByLabel('Live', { exact: true });
  const check = panel.getByRole('button', { name: 'Check now' });
  await expect(live.or(check).first()).toBeVisible();
  // The panel may go just then.
  await check.click({ timeout: 5_000 }).catch(() => undefined);
  return expectLive(page);
}
