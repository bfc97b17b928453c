import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { openAccount, publishSite, releaseEnd, startPublish } from '../support/doors.ts';
import { twentyPages } from '../support/sites.ts';
import { expect, logIn, newCredentials, seeDisclaimer, test } from './fixtures.ts';

const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'] as const;

async function expectAccessible(page: Page, where: string): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      // Colours change over 120 ms: axe must not measure one on its way. What runs for ever is not waited for.
      await page.evaluate(async () => {
        const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
        await Promise.all(ending.map((animation) => animation.finished.catch(() => null)));
      });
      const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
      expect(found, `${where}, ${theme}, ${width} px`).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${where} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
}

test('the screens of a visitor are accessible at every width in both themes', async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto('/disclaimer');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, '/disclaimer');
  await seeDisclaimer(page);
  for (const path of [
    '/beta-welcome',
    '/',
    '/login',
    '/register',
    '/pricing',
    '/subscription/pricing',
    '/no-such-screen',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectAccessible(page, path);
  }
});

test('the screens of an account are accessible, empty and full', async ({ page, app }) => {
  test.setTimeout(400_000);
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  await seeDisclaimer(page);
  await logIn(page, credentials);
  for (const path of ['/dashboard', '/deployments', '/deployment-history', '/new-deployment', '/settings']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, `${path} (empty)`);
  }
  const site = await publishSite(account, 'a site with quite a long name that people really do write', twentyPages());
  const second = await startPublish(account, site, twentyPages('Second'));
  await releaseEnd(account, second.release.id);
  const deployment = `/deployments/${site.deploymentId}`;
  const full = [
    '/dashboard',
    '/deployments',
    '/deployment-history',
    deployment,
    `${deployment}?tab=releases`,
    `${deployment}?tab=settings`,
  ];
  for (const path of [...full, `${deployment}/releases/1`, `${deployment}/releases/2`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, `${path} (full)`);
  }
});
