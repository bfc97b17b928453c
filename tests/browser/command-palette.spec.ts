import { clientOf, publishSite } from '../support/api-account.ts';
import { findingsIn } from './axe.ts';
import { ASKED_TOO_LATE, expect, newcomer, test } from './fixtures.ts';

test('Ctrl K finds screens, deployments, domains and actions, by keyboard alone', async ({ page, complaints }) => {
  complaints.allow(ASKED_TOO_LATE);
  const account = await newcomer(page);
  const { deploymentId } = await publishSite(account, 'Harbour lights', { 'index.html': '<h1>Harbour</h1>' });
  const domain = await clientOf(account).domains.add.mutate({ deploymentId, name: 'harbour.test' });
  await page.goto('/settings');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();

  const field = page.getByRole('combobox', { name: 'Screen, deployment, domain or action' });
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  expect(await findingsIn(page, '[role=dialog]')).toEqual([]);
  await page.keyboard.press('Control+k');
  await expect(field).toBeHidden();

  const go = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await expect(field).toBeFocused();
    await page.keyboard.type(text);
    await expect(page.getByRole('option').first()).toContainText(text, { ignoreCase: true });
    await page.keyboard.press('Enter');
    await expect(field).toBeHidden();
  };
  await go('lights');
  await expect(page).toHaveURL(`/deployments/${deploymentId}`);
  await go('harbour.test');
  await expect(page).toHaveURL(`/domains/${domain.id}`);

  await page.getByRole('button', { name: 'Go to' }).click();
  await expect(field).toBeFocused();
  await page.keyboard.type('de');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await field.fill('nothing of that name');
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await field.fill('Log out');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/login');
});
