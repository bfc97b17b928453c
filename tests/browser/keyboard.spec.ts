import type { Locator, Page } from '@playwright/test';
import { LOCAL_KEYS } from '../../src/lib/storage/storage.ts';
import { releaseEnd, startPublish } from '../support/api-account.ts';
import { writeSite } from '../support/sites.ts';
import { readWebManifest } from '../support/web-build.ts';
import { expect, newCredentials, newcomer, seeDisclaimer, test } from './fixtures.ts';

const STOPS_MAX = 80;
const WEB_ROOT = new URL('../../dist/web/', import.meta.url).pathname;

/** Goes there by Tab alone, as somebody without a pointer has to. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  // Tab passes what cannot be used yet.
  await expect(target).toBeEnabled();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}.`);
}

async function press(page: Page, target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

test('from registration to a live site and its roll back by keyboard alone', async ({ page, app, folder }) => {
  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>' });
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const { username, email, password } = newCredentials();
  // Choosers come to the test while somebody listens. Asked for with the press itself, that comes too late in a busy browser.
  page.on('filechooser', () => {});
  await seeDisclaimer(page);
  await page.goto('/register');
  await type(page, page.getByLabel('Username'), username);
  await type(page, page.getByLabel('Email'), email);
  await type(page, page.getByLabel('Password', { exact: true }), password);
  await type(page, page.getByLabel('Confirm Password'), password);
  await press(page, button('Register'));
  await page.waitForURL('**/subscription/pricing');
  await press(page, button('Start the trial'), 'Space');
  await page.waitForURL('**/dashboard');

  await press(page, page.getByRole('link', { name: 'New Deployment' }).first());
  await tabTo(page, button('Choose a folder'));
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(folder);
  await press(page, button('Publish'));
  await page.waitForURL(/\/releases\/1$/);
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();

  // The next comes from a script.
  const token = await page.evaluate((key) => localStorage.getItem(key), LOCAL_KEYS.accessToken);
  const account = { url: app.url, token: token ?? '', username, password };
  const deploymentId = /deployments\/(\w+)/.exec(page.url())?.[1] ?? '';
  const { release } = await startPublish(account, { deploymentId }, { 'index.html': '<h1>Quay</h1>' });
  expect(await releaseEnd(account, release.id)).toBe('live');
  const rollBack = page.getByRole('button', { name: 'Roll back to release 1' });
  await press(page, rollBack);
  // It listens for keys from when it has the focus.
  await expect(page.getByRole('alertdialog').locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(rollBack).toBeFocused();
  await press(page, rollBack, 'Space');
  await press(page, page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1', exact: true }));
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();
});

test('a theme is chosen in the account menu by keyboard, and kept over a load without a flash', async ({
  page,
  complaints,
}) => {
  await newcomer(page);
  await page.goto('/dashboard');
  const trigger = page.getByRole('button', { name: 'Account menu' });
  const html = page.locator('html');
  for (const [title, theme] of [
    ['Dark', 'dark'],
    ['Light', 'light'],
  ] as const) {
    await press(page, trigger);
    const item = page.getByRole('menuitemradio', { name: title });
    await expect(item).toBeVisible();
    for (let stop = 0; stop < STOPS_MAX && !(await item.evaluate((it) => it === document.activeElement)); stop += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(item).toBeChecked();
    await expect(html).toHaveAttribute('data-theme', theme);
    await page.keyboard.press('Escape');
    await expect(trigger).toBeFocused();
  }
  await test.step('in a low window the others scroll, and the way out stays in sight', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await press(page, trigger);
    const logOut = page.getByRole('menuitem', { name: 'Log out' });
    await expect(logOut).toBeInViewport({ ratio: 1 });
    const fade = () => logOut.evaluate((item) => getComputedStyle(item.parentElement ?? item, '::before').opacity);
    await expect.poll(fade).toBe('1');
    const topOf = async (item: Locator) => (await item.boundingBox())?.y ?? 0;
    const isUnderFade = () =>
      logOut.evaluate(({ parentElement: footer }) => {
        const entry = document.activeElement;
        if (footer === null || entry === null || footer.contains(entry)) return false;
        const { opacity, height } = getComputedStyle(footer, '::before');
        const fadeTop = footer.getBoundingClientRect().top - Number.parseFloat(height);
        return opacity === '1' && entry.getBoundingClientRect().bottom > fadeTop;
      });
    for (let stop = 0; stop < (await page.getByRole('menuitem').count()); stop += 1) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(isUnderFade).toBe(false);
    }
    const last = page.getByRole('menuitemradio', { name: 'System' });
    await last.focus();
    await expect.poll(async () => (await topOf(logOut)) - (await topOf(last))).toBeGreaterThan(30);
    await expect.poll(fade).toBe('0');
    await page.keyboard.press('Escape');
  });
  await test.step('dark before the first paint, and where the file of the menu did not come, a button asks for it again', async () => {
    complaints.allow(/ERR_FAILED|dynamically imported module/);
    // The system is light: only a stored choice makes the page dark before its first paint.
    await page.evaluate(() => localStorage.setItem('fairlead.theme', 'dark'));
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        document.documentElement.dataset.themeAtFirst = document.documentElement.dataset.theme;
      });
    });
    const built = await readWebManifest(WEB_ROOT);
    const part = Object.values(built).find(({ name }) => name === 'sidebar');
    await page.route(`**/${part?.file}`, (route) => route.abort());
    await page.goto('/about');
    await expect(html).toHaveAttribute('data-theme-at-first', 'dark');
    await expect(html).toHaveAttribute('data-theme', 'dark');
    const again = page.getByRole('button', { name: 'Account menu', exact: true });
    await expect(again).toBeVisible();
    await page.unrouteAll();
    await again.click();
    await expect(page.getByRole('button', { name: 'Account menu of' })).toBeVisible();
  });
});

test('a field that is refused, and its name, come into sight below the bar of a low window', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 360 });
  await seeDisclaimer(page);
  await page.goto('/register');
  const { username, email, password } = newCredentials();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill('another');
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.getByLabel('Confirm Password')).toBeFocused();
  const bar = await page.getByRole('banner').boundingBox();
  const name = await page.getByText('Confirm Password', { exact: true }).boundingBox();
  expect(name?.y).toBeGreaterThan(bar?.height ?? Number.POSITIVE_INFINITY);
});
