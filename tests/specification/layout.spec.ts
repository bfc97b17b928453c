import type { Page } from '@playwright/test';
import { expect, refusedCall, test } from '../browser/fixtures.ts';
import { call, enrol, seenBefore } from './accounts.ts';
import { follow, look } from './navigation.ts';
import { routesOf } from './route-table.ts';

// Entries, addresses and placeholders are in tests/src/layout.test.tsx and tests/src/route-table.test.tsx.

/** Longer than a small screen is wide. */
const LONG_NAME = 'Harbour lights, the breakwater and the whole quay';

test('on a small screen a slide-in holds the links and the focus, and the bar shows the whole title', async ({
  page,
  context,
  app,
  complaints,
}) => {
  // It has no release yet.
  complaints.allow(refusedCall(404, 'releases.get'));
  await seenBefore(context, app.url);
  const person = await enrol(context.request, { accepted: true, subscribed: true });
  const { data } = await call(context.request, person, 'deployments.create', { name: LONG_NAME, platform: 'built-in' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/settings');
  await expect(page.getByRole('complementary')).toBeHidden();
  await test.step('the slide-in: it closes on Escape, on a tap and on a new route', () => seeSlideIn(page));
  for (const route of routesOf(String(data.id), LONG_NAME)) {
    await test.step(`${route.path}: the bar shows the title, and nothing is wider than the screen`, async () => {
      await follow(page, route.path);
      const { title } = await look(page, route.path, route);
      await expect(page.getByRole('banner')).toContainText(title.replace(' · Fairlead', ''));
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
  }
  await test.step('the top bar: its button opens what does not fit', async () => {
    await follow(page, '/about');
    const bar = page.getByRole('banner');
    await expect(bar.getByRole('link', { name: 'Fairlead' })).toBeVisible();
    await expect(bar.getByRole('link', { name: 'About', exact: true })).toBeHidden();
    await bar.getByRole('button', { name: 'Open menu' }).click();
    const menu = page.getByRole('dialog');
    await expect(menu.getByRole('link')).toHaveText(['Home', 'Dashboard', 'About']);
    await page.keyboard.press('Escape');
    await expect(menu).toBeHidden();
    await bar.getByRole('button', { name: 'Open menu' }).click();
    await menu.getByRole('link', { name: 'Home' }).click();
    await expect(page).toHaveURL('/');
    await expect(menu).toBeHidden();
  });
});

async function seeSlideIn(page: Page): Promise<void> {
  const bar = page.getByRole('banner');
  const opener = bar.getByRole('button', { name: 'Open menu' });
  const menu = page.getByRole('dialog');
  await opener.click();
  await expect(menu).toBeVisible();

  const holdsFocus = (): Promise<boolean> => menu.evaluate((element) => element.contains(document.activeElement));
  await expect.poll(holdsFocus).toBe(true);
  // More steps than the menu has stops: the focus comes round and never leaves.
  for (let step = 0; step < 16; step += 1) {
    await page.keyboard.press('Tab');
    expect(await holdsFocus(), `stop ${step}`).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(opener).toBeFocused();

  await opener.click();
  await menu.getByRole('link', { name: 'Domains' }).click();
  await expect(page).toHaveURL('/domains');
  await expect(menu).toBeHidden();
  await expect(bar.getByText('Domains')).toBeVisible();

  await opener.click();
  await expect(menu).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/settings');
  await expect(menu).toBeHidden();

  // A tap on the place where one is already closes it, too.
  await opener.click();
  await menu.getByRole('link', { name: 'Settings' }).click();
  await expect(menu).toBeHidden();
}

/** Expects the page that appears when a screen breaks, and when the app cannot start. */
async function seeCriticalError(page: Page, after: string): Promise<void> {
  await expect.soft(page.getByText('Critical Error', { exact: true }), after).toBeVisible();
  await expect.soft(page.getByText('The application could not initialize correctly.'), after).toBeVisible();
  await expect.soft(page.getByRole('button', { name: 'Reload Application' }), after).toBeVisible();
}

/** Returns the modules that the page itself names, in its order; a plain script beside them starts nothing. */
async function namedModules(page: Page): Promise<string[]> {
  const html = await (await page.request.get('/')).text();
  const tags = html.match(/<(?:script|link)[^>]*>/g) ?? [];
  return tags
    .filter((tag) => /type="module"|rel="modulepreload"/.test(tag))
    .map((tag) => /(?:src|href)="([^"]+)"/.exec(tag)?.[1] ?? '');
}

test('a script that does not arrive, or that is broken, leads to the panel', async ({
  page,
  context,
  app,
  complaints,
}) => {
  complaints.allow(/./);
  await seenBefore(context, app.url);
  const scripts = await namedModules(page);
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) {
    await test.step(`${script} does not arrive`, async () => {
      await page.route(`**${script}`, (route) => route.abort());
      await page.goto('/about');
      await seeCriticalError(page, `${script} does not arrive`);
      await page.unrouteAll();
    });
    await test.step(`${script} is broken`, async () => {
      await page.route(`**${script}`, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken");' }),
      );
      await page.goto('/about');
      await seeCriticalError(page, `${script} is broken`);
      await page.unrouteAll();
    });
  }
  await page.getByRole('button', { name: 'Reload Application' }).click();
  await expect(page.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
});

/** APIs that an old or locked-down browser may lack, or refuse. */
const BROWSER_APIS = ['localStorage', 'sessionStorage', 'fetch', 'matchMedia', 'a storage that throws'];

test('an API that is not there or throws leads to the panel or is done without, never to an empty page', async ({
  context,
  app,
  complaints,
}) => {
  complaints.allow(/./);
  await seenBefore(context, app.url);
  for (const name of BROWSER_APIS) {
    await test.step(name, async () => {
      const page = await context.newPage();
      await page.addInitScript(takeAway, name);
      await page.goto('/about');
      if (/^(?:localStorage|a storage)/.test(name)) await seeCriticalError(page, name);
      const panel = page.getByText('The application could not initialize correctly.');
      await expect(panel.or(page.getByRole('heading', { name: 'Our Mission' })), name).toBeVisible();
      await page.close();
    });
  }
});

/** Runs in the page. */
function takeAway(api: string): void {
  if (api in window) Object.defineProperty(window, api, { value: undefined });
  else {
    const get = (): never => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const storage of ['localStorage', 'sessionStorage']) Object.defineProperty(window, storage, { get });
  }
}
