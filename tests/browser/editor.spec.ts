import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { TEMPLATES } from '../../src/features/deployments/templates/templates.ts';
import { clientOf, publishSite } from '../support/api-account.ts';
import { IS_FULL } from '../support/size.ts';
import { expectAccessible } from './axe.ts';
import { expect, newcomer, test } from './fixtures.ts';

const SITE = {
  'index.html': '<!doctype html>\n<h1>Harbour</h1>\n',
  'css/site.css': 'h1 {\n  color: teal;\n}\n',
  'about.html': '<h1>About</h1>\n',
};

test('a word is changed in the browser, outlives a reload, and is live as a new release', async ({ page }) => {
  const account = await newcomer(page);
  const site = await publishSite(account, 'harbour', SITE);

  await page.goto(`/deployment-editor/${site.deploymentId}`);
  const code = page.getByRole('textbox', { name: 'index.html' });
  await expect(code).toContainText('Harbour');
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('<p>Open daily</p>');
  await expect(page.getByRole('status').filter({ hasText: '1 change' })).toBeVisible();
  // By the keyboard alone: a file of a folder is renamed, another is deleted.
  await page.getByRole('treeitem', { name: 'css' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Name' }).fill('css/main.css');
  await page.keyboard.press('Enter');
  await page.getByRole('treeitem', { name: 'about.html' }).focus();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('treeitem', { name: 'about.html' })).toHaveCount(0);

  await expect(page.getByText('4 changes, stored in this browser')).toBeVisible();
  // What is not published is seen as it would be, on an origin of its own.
  await page.getByRole('button', { name: 'Preview' }).click();
  const preview = page.frameLocator('iframe');
  await expect(preview.getByText('Open daily')).toBeVisible();
  await page.getByRole('button', { name: 'Close the preview' }).click();
  await page.reload();
  await expect(code).toContainText('Open daily');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/uploads/') && request.method() === 'PUT') sent.push(request.url());
  });
  await page.keyboard.press('Control+s');
  await expect(page.getByRole('dialog')).toContainText('Remove 2 of 3 files?');
  await page.getByRole('dialog').getByRole('button', { name: 'Publish anyway' }).click();
  await page.waitForURL('**/releases/2');
  await expect(page.getByText('SourceEditor')).toBeVisible();
  // The list of files alone: the text went to the preview, and what was renamed does not travel.
  expect(sent.map((url) => url.slice(url.lastIndexOf('/')))).toEqual(['/manifest']);

  const visitor = await page.context().newPage();
  const served = async (path: string) => (await visitor.goto(`${site.siteUrl}/${path}`))?.text();
  await expect.poll(() => served('')).toBe(`${SITE['index.html']}<p>Open daily</p>`);
  expect(await served('css/main.css')).toBe(SITE['css/site.css']);
  const { items } = await clientOf(account).releases.list.query({ deploymentId: site.deploymentId });
  // Without the page that was deleted.
  expect(items.map(({ fileCount }) => fileCount)).toEqual([2, 3]);
  // What became a release is no change any more.
  await page.goto(`/deployment-editor/${site.deploymentId}`);
  await expect(page.getByText('No changes')).toBeVisible();
});

const TEMPLATES_ROOT = new URL('../../src/features/deployments/templates/', import.meta.url);

test('what a template looks like is accessible in both themes, and asks no other server', async ({ page }) => {
  const asked: string[] = [];
  await page.route('**', async (route) => {
    const { hostname, pathname } = new URL(route.request().url());
    const id = hostname.replace('.test', '');
    asked.push(hostname);
    const file = new URL(`${id}${pathname.replace(/\/$/, '/index.html')}`, TEMPLATES_ROOT);
    await route.fulfill({ path: fileURLToPath(file) });
  });
  for (const { id } of TEMPLATES) {
    const firstPage = await readFile(new URL(`${id}/index.html`, TEMPLATES_ROOT), 'utf8');
    // Of pages that look alike one more than the first stands for all, and shows the same parts and colours again.
    const [inner] = firstPage.matchAll(/<a href="([a-z/-]+\.html)"/g);
    for (const path of ['', ...(IS_FULL && inner?.[1] !== undefined ? [inner[1]] : [])]) {
      await page.goto(`http://${id}.test/${path}`);
      for (const [theme, width] of [
        ['light', 360],
        ['dark', 1280],
      ] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await expectAccessible(page, `${id}/${path}`, [{ theme, width }]);
      }
    }
  }
  expect(new Set(asked)).toEqual(new Set(TEMPLATES.map(({ id }) => `${id}.test`)));
});
