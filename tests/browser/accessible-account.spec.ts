import { personOf } from '../specification/accounts.ts';
import { clientOf, openAccount, publishSite, releaseEnd, startPublish } from '../support/api-account.ts';
import { twentyPages } from '../support/sites.ts';
import { BESIDE, close, expectAccessible, expectOpened, expectOver, STILL } from './axe.ts';
import { expect, logIn, newCredentials, seeDisclaimer, test } from './fixtures.ts';

test.use(STILL);

test('the screens of an account that has nothing yet are accessible', async ({ page, app }) => {
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
    if (path === '/deployments') await expectAccessible(page, `${path} (full)`, BESIDE);
  }
});

test('menus and dialogs are accessible', async ({ page, app }) => {
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
