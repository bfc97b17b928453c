import { twentyPages, writeSite } from '../support/sites.ts';
import { expect, nameDeployment, newcomer, registerHere, test } from './fixtures.ts';
import { bodyOf, chooseFolder, expectLive, publishFolder } from './publishing.ts';

test('a newcomer goes from the first visit to a live site, publishes a change and rolls back', async ({
  page,
  folder,
}) => {
  await writeSite(folder, twentyPages('Welcome to the harbour'));
  // In which nothing of the welcome page has to be scrolled.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/');
  await page.waitForURL('**/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.waitForURL('**/beta-welcome');
  // From here it takes four clicks beside the form.
  const onward = page.getByRole('button', { name: 'Choose a folder' });
  await expect(onward).toBeEnabled();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
  const chooser = page.waitForEvent('filechooser');
  await onward.click();
  await (await chooser).setFiles(folder);
  await page.getByRole('link', { name: 'Register to publish' }).click();
  await registerHere(page);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/new-deployment');
  await nameDeployment(page, 'Harbour café');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const address = await expectLive(page);
  expect(address).toMatch(/^http:\/\/harbour-cafe[a-z0-9-]*\.localhost:\d+\/?$/);
  for (const step of ['Sent', 'Checked', 'Switched on'])
    await expect(page.getByText(step, { exact: true })).toBeVisible();
  expect(await bodyOf(page, address)).toContain('Welcome to the harbour');
  expect(await bodyOf(page, new URL('guides/page-17.html', address).href)).toContain('Guide 17');

  await writeSite(folder, { 'index.html': twentyPages('Winter timetable')['index.html'] ?? '' });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().includes('/files/')) sent.push(request.url());
  });
  await page.goto(`${page.url().replace(/\/releases\/1$/, '')}#publish`);
  await chooseFolder(page, folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/2$/);
  await expectLive(page);
  expect(sent).toHaveLength(1);
  expect(await bodyOf(page, address)).toContain('Winter timetable');

  await page.goto(page.url().replace(/2$/, '1'));
  await page.getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1', exact: true }).click();
  await expectLive(page);
  expect(await bodyOf(page, address)).toContain('Welcome to the harbour');
});

test('a second tab follows the release without a reload', async ({ page, folder }) => {
  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>' });
  await newcomer(page);
  const other = await page.context().newPage();
  await other.goto('/deployments');
  await expect(other.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
  // A tab in the background draws no frames, and Playwright waits for one before it types.
  await page.bringToFront();
  await publishFolder(page, folder, 'two tabs');
  await expectLive(page);
  await expect(other.getByText('two tabs').first()).toBeVisible();
  await expect(other.getByText('Live', { exact: true }).first()).toBeVisible();
});

test('who selects a platform before registering ends on its page, with the folder', async ({ page, folder }) => {
  await writeSite(folder, twentyPages('Welcome to the harbour'));
  await page.goto('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.waitForURL('**/beta-welcome');
  await page.goto('/');
  await chooseFolder(page, folder);
  const files = page.getByText('Static website, 23 files');
  await expect(files).toBeVisible();
  await page.getByRole('link', { name: 'Select Netlify' }).click();
  await page.waitForURL('**/auth**');
  await registerHere(page);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/deploy/netlify');
  await page.getByRole('link', { name: /^Publish “.+” to Netlify$/ }).click();
  await page.waitForURL('**/new-deployment?platform=netlify');
  await expect(files).toBeVisible();
  await expect(page.getByRole('radio', { name: /^Netlify/ })).toBeChecked();
});
