import { clientOf, publishSite } from '../support/api-account.ts';
import { writeSite } from '../support/sites.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, newcomer, test } from './fixtures.ts';

test.use(STILL);

test('the way of a domain is accessible, as a question and as stages of a pipeline', async ({ page, folder }) => {
  const account = await newcomer(page);
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': '<h1>Harbour</h1>' });
  await page.goto(`/unified-deployment?deployment=${deploymentId}&domain=co.uk`);
  await expect(page.getByText('co.uk is an ending that many domains share.')).toBeVisible();
  await expectAccessible(page, 'a domain that was not added');
  await clientOf(account).domains.add.mutate({ deploymentId, name: 'harbour.test' });
  await page.reload();
  // Sites are local here, so that the records are folded away.
  await page.getByText('Show the records').click();
  await expect(page.getByRole('button', { name: 'Check now' })).toBeVisible();
  await expectAccessible(page, 'a domain that waits for its records');

  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>' });
  await page.goto('/guided-deployment?step=domain');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('radio', { name: 'I have a domain' }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Type your domain, or choose “No domain yet”.')).toBeVisible();
  await expectAccessible(page, 'the question of the domain');
});

test('a chosen folder, and its files on their way, are accessible', async ({ page, folder }) => {
  await writeSite(folder, { 'index.html': '<h1>Harbour</h1>', 'about.html': '<h1>About</h1>' });
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
  await page.route('**/api/uploads/*/files**', async (route) => {
    await isLetGo;
    await route.continue();
  });
  await publish.click();
  const steps = page.getByRole('list', { name: 'Steps of the release' });
  await expect(steps.locator('[aria-current=step]')).toContainText('Sending');
  await expectAccessible(page, 'files on their way');
  letGo();
  await page.waitForURL(/\/releases\/1$/);
});
