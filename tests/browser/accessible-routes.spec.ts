import { enrol, seenBefore } from '../specification/accounts.ts';
import { ALIKE, PUBLIC, ROUTES } from '../specification/route-table.ts';
import { IS_FULL } from '../support/size.ts';
import { expectAccessible, STILL, walkAccessibly } from './axe.ts';
import { expect, test } from './fixtures.ts';

test.use(STILL);

const LOOKED_AT = ROUTES.filter(({ path }) => path !== '/disclaimer' && (IS_FULL || !ALIKE.test(path)));
const isPublic = ({ path }: { path: string }): boolean => PUBLIC.some((row) => row.path === path);
const OF_THE_APP = LOOKED_AT.filter((row) => !isPublic(row));
const HALF = Math.ceil(OF_THE_APP.length / 2);

test('the disclaimer and every public screen of the route table are accessible', async ({ page, context, app }) => {
  await page.goto('/disclaimer');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, '/disclaimer');
  await seenBefore(context, app.url);
  await page.goto('/about');
  await walkAccessibly(page, LOOKED_AT.filter(isPublic));
});

for (const [name, rows] of [
  ['first', OF_THE_APP.slice(0, HALF)],
  ['second', OF_THE_APP.slice(HALF)],
] as const) {
  test(`the ${name} half of the app’s screens is accessible to who has nothing yet`, async ({ page, context, app }) => {
    await seenBefore(context, app.url);
    await enrol(context.request, { accepted: true, subscribed: true });
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
    await walkAccessibly(page, rows);
  });
}
