import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { enrol, personOf, seenBefore } from '../specification/accounts.ts';
import { follow, look } from '../specification/navigation.ts';
import { PUBLIC, ROUTES } from '../specification/route-table.ts';
import { clientOf, openAccount, publishSite, releaseEnd, startPublish } from '../support/api-account.ts';
import { faultyEntry, mongodPidOf, startRealApp } from '../support/real-app.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import { expect, logIn, newCredentials, newcomer, refusedCall, seeDisclaimer, test } from './fixtures.ts';

const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** Those that axe runs by itself; the stricter contrast is none of them. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

// The tests of this file take the longest: each goes to whichever worker is free.
test.describe.configure({ mode: 'parallel' });
// A toast that leaves by itself while axe is measuring would be seen half faded.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Everything in the one theme; the other has other colours and nothing else. */
async function axe(page: Page, theme: Theme): Promise<AxeBuilder> {
  // Its half a megabyte of source is read by a page once, not twice at each look.
  const isHere = await page.evaluate(() => 'axe' in window);
  // No site of a tenant is looked into, so no page of its own is needed to put the findings of frames together.
  const builder = new AxeBuilder({ page, ...(isHere && { axeSource: 'void 0' }) })
    .setLegacyMode(true)
    .exclude('iframe')
    .options({ resultTypes: ['violations'] });
  return theme === 'light' ? builder : builder.withRules(RULES_OF_COLOUR);
}

async function expectAccessible(page: Page, where: string, widths: readonly number[] = WIDTHS): Promise<void> {
  for (const theme of THEMES) {
    await wear(page, theme);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await seriousIn(page, await axe(page, theme)), `${where}, ${theme}, ${width} px`).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${where} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
}

async function wear(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
}

async function seriousIn(page: Page, builder: AxeBuilder): Promise<string[]> {
  // Colours change over 120 ms: axe must not measure one on its way. What runs for ever is not waited for.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.all(ending.map((animation) => animation.finished.catch(() => null)));
  });
  const { violations } = await builder.analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}

type Over = 'dialog' | 'alertdialog' | 'menu' | 'listbox';

/** Opens what stands over the screen and looks at it. */
async function expectOpened(page: Page, opener: Locator, role: Over): Promise<void> {
  await opener.click();
  await expectOver(page, role);
}

/** It alone: nothing below can be read or reached meanwhile. */
async function expectOver(page: Page, role: Over): Promise<void> {
  await expect(page.getByRole(role)).toBeVisible();
  const name = await page.getByRole(role).innerText();
  for (const theme of THEMES) {
    await wear(page, theme);
    const found = await seriousIn(page, (await axe(page, theme)).include(`[role=${role}]`));
    expect(found, `${role} ${name}, ${theme}`).toEqual([]);
  }
}

async function close(page: Page, role: Over): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.getByRole(role)).toHaveCount(0);
}

test('the screens of a visitor are accessible at every width in both themes', async ({ page }) => {
  test.setTimeout(400_000);
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

/** Between the two others, where the layout is neither that of a telephone nor that of a desk. */
const MIDDLE = [768];

test('every screen of the route table is accessible between the two widths', async ({ page, context, app }) => {
  test.setTimeout(400_000);
  const walk = async (rows: readonly (typeof ROUTES)[number][]): Promise<void> => {
    for (const row of rows) {
      await follow(page, row.path);
      const { address } = await look(page, row.path, row);
      expect.soft(address).toBe(row.path);
      await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
      await expectAccessible(page, row.path, MIDDLE);
    }
  };
  await seenBefore(context, app.url);
  await page.goto('/about');
  await walk(PUBLIC.filter(({ path }) => path !== '/disclaimer'));
  await enrol(context.request, { accepted: true, subscribed: true });
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  const seen = new Set(PUBLIC.map(({ path }) => path));
  await walk(ROUTES.filter(({ path }) => !seen.has(path)));
});

test('the screens of an account that has nothing yet are accessible', async ({ page, app }) => {
  test.setTimeout(400_000);
  const credentials = newCredentials();
  await openAccount(app.url, credentials.username, credentials.password);
  await seeDisclaimer(page);
  await logIn(page, credentials);
  for (const path of ['/dashboard', '/deployments', '/deployment-history', '/new-deployment', '/settings']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, `${path} (empty)`);
  }
});

test('the screens of an account are accessible when they are full', async ({ page, app }) => {
  test.setTimeout(400_000);
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const site = await publishSite(account, 'a site with quite a long name that people really do write', twentyPages());
  const second = await startPublish(account, site, twentyPages('Second'));
  await releaseEnd(account, second.release.id);
  await seeDisclaimer(page);
  await logIn(page, credentials);
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

test('menus and dialogs are accessible', async ({ page, app }) => {
  test.setTimeout(400_000);
  const person = await personOf(page, app.url);
  const account = { ...person, url: app.url, token: person.accessToken };
  await clientOf(account).deployments.create.mutate({ name: 'harbour-cafe', platform: 'built-in' });
  await page.setViewportSize({ width: 360, height: 800 });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  await page.goto('/deployments');
  await expectOpened(page, button('Open menu'), 'dialog');
  await close(page, 'dialog');
  await expectOpened(page, button(`Account menu of ${person.username}`), 'menu');
  await close(page, 'menu');
  await expectOpened(page, button('Rate Your Experience'), 'dialog');
  await close(page, 'dialog');
  await expectOpened(page, button('Actions for harbour-cafe'), 'menu');
  await expectOpened(page, page.getByRole('menuitem', { name: 'Change address' }), 'dialog');
  await close(page, 'dialog');
  await button('Actions for harbour-cafe').click();
  await expectOpened(page, page.getByRole('menuitem', { name: 'Delete' }), 'alertdialog');

  await page.goto('/settings');
  await expectOpened(page, button('New token'), 'dialog');
  await expectOpened(page, page.getByRole('combobox', { name: 'Works for' }), 'listbox');
  await close(page, 'listbox');
  await page.getByLabel('Name', { exact: true }).fill('build server');
  await page.getByLabel('Current password').fill(person.password);
  await button('Make token').click();
  await expect(button('I have copied it')).toBeVisible();
  await expectOver(page, 'dialog');
  await button('I have copied it').click();
  await expectOpened(page, button('Revoke build server'), 'alertdialog');

  await page.goto('/account');
  await expectOpened(page, button('Change email'), 'dialog');
  await close(page, 'dialog');
  await expectOpened(page, button('Delete account'), 'alertdialog');
});

test('the way of a domain is accessible, as a question and as stages of a pipeline', async ({ page, app, folder }) => {
  test.setTimeout(400_000);
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': '<h1>Harbour</h1>' });
  await seeDisclaimer(page);
  await logIn(page, credentials);
  await page.goto(`/unified-deployment?deployment=${deploymentId}&domain=co.uk`);
  await expect(page.getByText('co.uk is an ending that many domains share.')).toBeVisible();
  await expectAccessible(page, 'a domain that was not added');
  await clientOf(account).domains.add.mutate({ deploymentId, name: 'harbour.test' });
  await page.reload();
  await expect(page.getByRole('button', { name: 'Check now' })).toBeVisible();
  await expectAccessible(page, 'a domain that waits for its records');

  await writeSite(folder, twentyPages('harbour'));
  await page.goto('/guided-deployment?step=domain');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('radio', { name: 'I have a domain' }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Type your domain, or choose “No domain yet”.')).toBeVisible();
  await expectAccessible(page, 'the question of the domain');
});

test('a release that runs, and one that failed, are accessible', async ({ page }) => {
  test.setTimeout(400_000);
  const app = await startRealApp({}, faultyEntry({ 'processing:start': 'hold', 'verifying:start': 'fail' }));
  try {
    const credentials = newCredentials();
    const account = await openAccount(app.url, credentials.username, credentials.password);
    const { id: deploymentId } = await clientOf(account).deployments.create.mutate({
      name: 'a site on its way',
      platform: 'built-in',
    });
    await startPublish(account, { deploymentId }, twentyPages());
    await seeDisclaimer(page, app.url);
    await logIn(page, credentials, app.url);
    await page.goto(`${app.url}/deployments/${deploymentId}/releases/1`);
    await expect(page.locator('[aria-current=step]')).toContainText('Processing');
    await expectAccessible(page, 'a release that runs');
    await page.goto(`${app.url}/deployments`);
    await expect(page.getByText('Deploying', { exact: true }).first()).toBeVisible();
    await expectAccessible(page, 'a list with a release that runs');

    app.child.kill('SIGUSR2');
    await page.goto(`${app.url}/deployments/${deploymentId}/releases/1`);
    await expect(page.getByLabel('Failed', { exact: true }).first()).toContainText('failed while verifying');
    await expectAccessible(page, 'a release that failed');
  } finally {
    await page.goto('about:blank');
    await app[Symbol.asyncDispose]();
  }
});

test('a list that the server cannot answer, or that cannot be reached, is accessible', async ({
  page,
  app,
  complaints,
}) => {
  test.setTimeout(400_000);
  complaints.allow(refusedCall(503, '/api/'));
  complaints.allow(/Failed to load resource: net::ERR_FAILED/);
  const credentials = newCredentials();
  await openAccount(app.url, credentials.username, credentials.password);
  await seeDisclaimer(page);
  await logIn(page, credentials);
  await page.waitForLoadState('networkidle');
  process.kill(mongodPidOf(app), 'SIGSTOP');
  try {
    await page.getByRole('link', { name: 'Active Deployments' }).first().click();
    // The server gives a database that does not answer its time first.
    await expect(page.getByRole('alert')).toContainText('could not be fetched', { timeout: 60_000 });
    await expectAccessible(page, 'a list that the server cannot answer');
  } finally {
    process.kill(mongodPidOf(app), 'SIGCONT');
  }
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Deployment History' }).first().click();
  await expect(page.getByRole('alert')).toContainText('could not be fetched');
  await expectAccessible(page, 'a list that cannot be reached');
});

test('a chosen folder, and its files on their way, are accessible', async ({ page, folder }) => {
  test.setTimeout(400_000);
  await writeSite(folder, twentyPages());
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await expect(publish).toBeEnabled();
  await expectAccessible(page, 'a chosen folder');

  let letGo = (): void => undefined;
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/uploads/*/files/*', async (route) => {
    await isLetGo;
    await route.continue();
  });
  await publish.click();
  const steps = page.getByRole('list', { name: 'Steps of sending' });
  await expect(steps.locator('[aria-current=step]')).toContainText('Sending');
  await expectAccessible(page, 'files on their way');
  letGo();
  await page.waitForURL(/\/releases\/1$/);
});
