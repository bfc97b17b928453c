import { ROUTES, routesOf } from '../specification/route-table.ts';
import { clientOf, publishSite, releaseEnd, startPublish } from '../support/api-account.ts';
import { BESIDE, close, expectAccessible, expectOpened, expectOver, findingsIn, STILL, walkAccessibly } from './axe.ts';
import { expect, newcomer, test } from './fixtures.ts';
import { placesOf } from './places.ts';

test.use(STILL);

// An account that has nothing yet is looked at in accessible-routes.spec.ts.
test('the screens of an account are accessible when they are full', async ({ page }) => {
  const name = 'a site with quite a long name that people really do write';
  const account = await newcomer(page);
  const files = { 'index.html': '<h1>First</h1>', 'style.css': 'h1 { color: teal }' };
  const site = await publishSite(account, name, files);
  const second = await startPublish(account, site, { 'index.html': '<h1>Second</h1>' });
  expect(await releaseEnd(account, second.release.id)).toBe('live');
  await page.goto('/help');
  const lists = ROUTES.filter(({ path }) => ['/dashboard', '/deployments', '/deployment-history'].includes(path));
  const [deployment, first] = routesOf(site.deploymentId, name);
  if (deployment === undefined || first === undefined) throw new Error('The table has no deployment.');
  const latest = { ...first, path: `${deployment.path}/releases/2`, title: /Release 2/ };
  await walkAccessibly(page, [...lists, first, latest, deployment]);
  for (const tab of ['Releases', 'Settings']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(page.getByRole('tabpanel', { name: tab })).toBeVisible();
    await expectAccessible(page, tab);
  }
  await walkAccessibly(page, await placesOf(account, site.deploymentId, name));
  await page.goto('/deployments');
  await expect(page.getByRole('table', { name: 'Deployments' })).toBeVisible();
  await expectAccessible(page, 'the list and what stands beside it', BESIDE);
});

test('menus and dialogs are accessible', async ({ page }) => {
  const person = await newcomer(page);
  await clientOf(person).deployments.create.mutate({ name: 'harbour-cafe', platform: 'built-in' });
  await page.setViewportSize({ width: 360, height: 800 });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  await page.goto('/deployments');
  await expectOpened(page, button('Open menu'), 'dialog');
  await close(page, 'dialog');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  expect(await findingsIn(page, '[role=dialog]')).toEqual([]);
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
  await expectOpened(page, page.getByRole('combobox', { name: 'Expires' }), 'listbox');
  await close(page, 'listbox');
  await page.getByLabel('Name', { exact: true }).fill('build server');
  await page.getByLabel('Current password').fill(person.password);
  await button('Create token').click();
  await expect(button('I have copied it')).toBeVisible();
  await expectOver(page, 'dialog');
  await button('I have copied it').click();
  await expectOpened(page, button('Revoke build server'), 'alertdialog');

  await page.goto('/account');
  await expectOpened(page, button('Change email'), 'dialog');
  await close(page, 'dialog');
  await expectOpened(page, button('Delete account'), 'alertdialog');
});
