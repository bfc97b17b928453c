import { expect, refusedCall, test } from '../browser/fixtures.ts';
import { personOf } from './accounts.ts';

test('two tabs that wake with an old token stay signed in both', async ({ page, context, app, complaints }) => {
  complaints.allow(refusedCall(401, '/api/trpc/'));
  await personOf(page, app.url);
  await page.goto('/faq');
  await expect(page.getByRole('button', { name: /Account menu/ })).toBeVisible();
  // The stored token becomes one that the server does not know; its expiry stays.
  await page.evaluate(() => {
    const held = Object.entries(localStorage).filter(([, value]) => value.startsWith('fla_'));
    for (const [key] of held) localStorage.setItem(key, 'fla_of_yesterday');
    if (held.length === 0) throw new Error('No token is kept where one was expected.');
  });
  const other = await context.newPage();
  await Promise.all([page.goto('/deployment-history'), other.goto('/account')]);
  await expect(page.getByText('No releases yet.')).toBeVisible();
  await expect(other.getByText('This browser')).toBeVisible();
  await other.close();
});
