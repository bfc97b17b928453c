import type { Page } from '@playwright/test';
import { enrol, seenBefore } from '../specification/accounts.ts';
import { follow, look } from '../specification/navigation.ts';
import { PUBLIC, ROUTES, type Route } from '../specification/route-table.ts';
import { IS_FULL } from '../support/size.ts';
import { expectAccessible, STILL } from './axe.ts';
import { expect, test } from './fixtures.ts';

test.use(STILL);

/** Between the two others, where the layout is neither that of a telephone nor that of a desk; colours are the same there. */
const MIDDLE = (IS_FULL ? (['light', 'dark'] as const) : (['light'] as const)).map((theme) => ({ theme, width: 768 }));

/** The six set-up screens are one with other words, and the six of platforms too: one of an API and one by hand stand for all. */
const ALIKE = /^\/(?:deploy|deployment-setup)\/(?:vercel|github-pages|render|heroku)$/;
const LOOKED_AT = ROUTES.filter(({ path }) => IS_FULL || !ALIKE.test(path));

async function walk(page: Page, rows: readonly Route[]): Promise<void> {
  for (const row of rows) {
    await follow(page, row.path);
    const { address } = await look(page, row.path, row);
    expect.soft(address).toBe(row.path);
    await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
    await expectAccessible(page, row.path, MIDDLE);
  }
}

test('every public screen of the route table is accessible between the two widths', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  await page.goto('/about');
  await walk(
    page,
    PUBLIC.filter(({ path }) => path !== '/disclaimer'),
  );
});

const OF_THE_APP = LOOKED_AT.filter(({ path }) => !PUBLIC.some((row) => row.path === path));
const HALF = Math.ceil(OF_THE_APP.length / 2);

for (const [name, rows] of [
  ['first', OF_THE_APP.slice(0, HALF)],
  ['second', OF_THE_APP.slice(HALF)],
] as const) {
  test(`the ${name} half of the app’s screens is accessible between the two widths`, async ({ page, context, app }) => {
    await seenBefore(context, app.url);
    await enrol(context.request, { accepted: true, subscribed: true });
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
    await walk(page, rows);
  });
}
