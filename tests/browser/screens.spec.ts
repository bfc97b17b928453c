import { stat } from 'node:fs/promises';
import { follow } from '../specification/navigation.ts';
import { clientOf, publishSite, releaseEnd, startPublish } from '../support/api-account.ts';
import { writeSite } from '../support/sites.ts';
import { expectFits, SMALL } from './fits.ts';
import { expect, nameDeployment, newcomer, seeDisclaimer, test } from './fixtures.ts';

/** Runs in the page: the links whose text is cut, in which a short name has to be whole. */
function cutLinks(): string[] {
  const isCut = (element: Element): boolean =>
    element.checkVisibility() &&
    getComputedStyle(element).textOverflow === 'ellipsis' &&
    element.scrollWidth > element.clientWidth + 1;
  return [...document.querySelectorAll('#content a, #content a *')]
    .filter(isCut)
    .map((element) => element.textContent ?? '');
}

/** Runs in the page: the ends of names that are cut, be it by a part of a pixel. */
function cutEnds(): string[] {
  const isCut = (end: Element): boolean => {
    const text = document.createRange();
    text.selectNodeContents(end);
    return text.getBoundingClientRect().width > end.getBoundingClientRect().width + 0.01;
  };
  return [...document.querySelectorAll('[title] > [aria-hidden]:last-child')]
    .filter((end) => end.checkVisibility() && isCut(end))
    .map((end) => end.textContent ?? '');
}

const NO_NETWORK = /net::ERR_INTERNET_DISCONNECTED|Failed to fetch dynamically imported module/;

test('a list on its way has the shape of its rows; what could not be loaded is asked for again, screens as well', async ({
  page,
  context,
  complaints,
}) => {
  complaints.allow(/status of 503|net::ERR_FAILED/);
  complaints.allow(NO_NETWORK);
  await newcomer(page);
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const lists = /\/api\/trpc\/[^?]*(deployments|releases)\.list/;
  await page.route(lists, async (route) => {
    await arrived;
    await route.fulfill({ status: 503, body: 'away' });
  });
  const seesRows = async (label: string) => {
    const skeleton = page.getByRole('status').filter({ hasText: label });
    await expect(skeleton).toBeVisible();
    expect((await skeleton.boundingBox())?.height).toBeGreaterThan(200);
  };
  await page.goto('/deployments');
  await seesRows('Loading the deployments');
  await page.getByRole('link', { name: 'Deployment History' }).click();
  await seesRows('Loading the releases');
  arrive();
  await expect(page.getByText('The releases could not be loaded')).toBeVisible();
  await page.unroute(lists);
  const retry = page.getByRole('button', { name: 'Retry' });
  await retry.click();
  await expect(page.getByText('No releases yet.')).toBeVisible();

  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Analytics' }).click();
  await expect(page.getByText('This screen could not be loaded')).toBeVisible();
  const failed = page.waitForEvent('requestfailed');
  await retry.click();
  await failed;
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Analytics', level: 1 })).toBeVisible();
});

test('a roll back stays in the history, any two releases are compared, and names and records are read at any width', async ({
  page,
}) => {
  // Short enough to be whole at any width, and free where the test is tried once more.
  const name = `traced ${Date.now().toString(36).slice(-4)}`;
  const account = await newcomer(page);
  const site = await publishSite(account, name, { 'index.html': '<h1>The first</h1>' });
  const files = { 'index.html': '<h1>The second</h1>', 'added.html': '<h1>Added</h1>' };
  const { release } = await startPublish(account, site, files);
  expect(await releaseEnd(account, release.id)).toBe('live');
  await page.goto(`/deployments/${site.deploymentId}/releases/1`);
  await page.getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1', exact: true }).click();
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();

  const changes = page.getByLabel('Changes', { exact: true });
  await changes.getByRole('combobox', { name: 'Compare with' }).click();
  await page.getByRole('option', { name: 'Release 2' }).click();
  await expect(page).toHaveURL(/\?against=2$/);
  await page.reload();
  await expect(changes.getByText('Changes from release 1 to 2')).toBeVisible();
  await expect(changes.getByText('added.html')).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${name} 1.zip`);
  expect((await stat(await download.path())).size).toBeGreaterThan(100);

  const goTo = {
    'the deployment': async () => {
      await page.getByRole('main').getByRole('link', { name }).first().click();
      await page.getByRole('tab', { name: 'Releases' }).click();
    },
    'the dashboard': () => page.getByRole('link', { name: 'Dashboard' }).click(),
    'the history': () => page.getByRole('link', { name: 'Deployment History' }).click(),
  };
  for (const [place, go] of Object.entries(goTo)) {
    await go();
    await expect(page.getByRole('link', { name: /release 2 → release 1$/i })).toBeVisible();
    await expect(page.getByText('Rolled back', { exact: true })).toBeVisible();
    // The columns change at each of them.
    for (const width of [360, 640, 768, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(cutLinks), `${place} at ${width} px`).toEqual([]);
      // In the list the way back is one press and its confirmation at every width.
      await expect(page.getByRole('button', { name: /^Bring back release 2/ })).toHaveCount(
        place === 'the dashboard' ? 0 : 1,
      );
    }
  }
  // The row around it is a link, and lies below it.
  await page.locator('time').first().hover();
  await expect(page.getByRole('tooltip')).toBeVisible();

  const long = await publishSite(account, 'the lighthouse of the northern islands', { 'index.html': '<h1>Far</h1>' });
  const host = `${long.slug}.harbour.test`;
  const { domains } = clientOf(account);
  const domain = await domains.add.mutate({ deploymentId: long.deploymentId, name: host });
  await page.getByRole('link', { name: 'Active Deployments' }).click();
  await expect(page.getByRole('link', { name: long.slug })).toBeVisible();
  for (let width = 640; width < 660; width += 1) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(cutEnds), `at ${width} px`).toEqual([]);
  }
  await page.goto(`/domains/${domain.id}`);
  await page.getByText('Show the records').click();
  const proof = page.getByRole('cell', { name: `_fairlead.${host}` });
  await expect(proof).toBeVisible();
  // Two lines, and the button that copies them.
  expect((await proof.boundingBox())?.height).toBeLessThan(60);

  await page.setViewportSize(SMALL);
  // Two lines each, with the space around them and the room of a button.
  for (const [path, list, count, most] of [
    ['/deployments', '[aria-label="Deployments"] tbody tr', 2, 100],
    ['/domains', 'li:has(> a[href^="/domains/"])', 1, 84],
    ['/analytics', '[aria-label="Releases by deployment"] tbody tr', 2, 84],
  ] as const) {
    await follow(page, path);
    const rows = page.locator(`#content ${list}`);
    await expect(rows, path).toHaveCount(count);
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect.soft(Math.max(...heights), path).toBeLessThan(most);
  }
});

test('the floating button stands aside where it would cover a button, and is back where there is none', async ({
  page,
}) => {
  await seeDisclaimer(page);
  await page.setViewportSize(SMALL);
  await page.goto('/beta-welcome');
  const floating = page.getByRole('button', { name: 'Rate Your Experience' }).locator('..');
  const last = page.getByRole('button', { name: 'Go to Dashboard' });
  await expect(last).toBeVisible();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(last).toBeEnabled();
  await expect(floating).toHaveCSS('opacity', '1');
  const topOf = async (one: typeof last) => (await one.boundingBox())?.y ?? 0;
  await page.evaluate((up) => scrollBy(0, -up), (await topOf(floating)) - (await topOf(last)));
  await expect(floating).toHaveCSS('opacity', '0');
});

test('on a small telephone choices, their buttons and the last act of a menu are in sight, also by the keyboard', async ({
  page,
  folder,
}) => {
  const site = await publishSite(await newcomer(page), 'low quay', { 'index.html': '<h1>The first</h1>' });
  await writeSite(folder, { 'index.html': '<h1>The third</h1>', 'about.html': '<h1>About</h1>' });
  await page.setViewportSize(SMALL);
  await page.goto(`/deployments/${site.deploymentId}#publish`);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await expect(publish).toBeInViewport({ ratio: 1 });
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Actions for low quay' }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeInViewport({ ratio: 1 });
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('high quay');
  await page.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { name: 'high quay' })).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeFocused();
  await expect(page.getByRole('tabpanel', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Home');
  await expect(page.getByRole('tabpanel', { name: 'Overview' })).toBeVisible();

  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(publish).toBeInViewport({ ratio: 1 });
  await page.getByRole('radio', { name: /Built-in host/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: /Netlify/ })).toBeChecked();

  await page.goto('/deploy/heroku');
  await page.getByRole('combobox', { name: 'Dyno' }).click();
  const list = page.getByRole('listbox');
  await expect(list).toBeVisible();
  const { x = 0, width = 0 } = (await list.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(SMALL.width);
  await list.getByRole('option', { name: /^Eco/ }).click();
  await expect(list).toBeHidden();
  await expectFits(page, 'the page of a platform whose setting is long');
});

test('on a small telephone the files lead to the choice for a name that is taken, and it fits', async ({
  page,
  folder,
}) => {
  const name = 'the-harbour-cafe-of-the-north';
  await publishSite(await newcomer(page), name, { 'index.html': '<h1>Harbour</h1>' });
  await writeSite(folder, { 'index.html': '<h1>Another</h1>' });
  await page.setViewportSize(SMALL);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, name);
  await page.getByRole('button', { name: 'Choose how to publish' }).click();
  await expect(page.getByRole('link', { name: `Publish as new release of ${name}…` })).toBeFocused();
  await expect(page.getByRole('button', { name: `Publish as new deployment ${name}-2` })).toBeInViewport({ ratio: 1 });
  await expectFits(page, 'the choice between two names');
});
