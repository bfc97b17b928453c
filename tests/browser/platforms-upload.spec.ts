import { writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { expect, newcomer } from './fixtures.ts';
import {
  connect,
  HEROKU,
  NETLIFY,
  ONE,
  publishFirst,
  test,
  testMending,
  testPublishing,
  textAt,
  VERCEL,
} from './platforms.ts';
import { expectLive } from './publishing.ts';

/** The platforms that take the files themselves. */
for (const played of IS_FULL ? [NETLIFY, VERCEL, HEROKU] : [NETLIFY]) {
  testPublishing(played);
  testMending(played);
}

test('a live deployment moves to another platform: published there, made the primary one, the old one removed', async ({
  page,
  folder,
}) => {
  await newcomer(page);
  await connect(page, NETLIFY);
  await connect(page, VERCEL);
  await page.goto('/new-deployment?platform=netlify');
  await writeSite(folder, ONE);
  await publishFirst(page, folder, 'Moving quay');
  const before = await expectLive(page);
  await page.goto(`${page.url().replace(/\/releases\/\d+$/, '')}?tab=settings`);
  const card = page.getByLabel('Platforms', { exact: true });
  await card.getByRole('button', { name: 'Add a platform' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Vercel' }).check();
  // It is asked for once the account was read, and chosen by itself.
  await expect(page.getByRole('combobox', { name: 'Publish under' })).toContainText('The account itself');
  await page.getByRole('button', { name: 'Add and publish' }).click();
  await expect(card.getByText('Live', { exact: true })).toHaveCount(2);

  await card.getByRole('button', { name: 'Make Vercel the primary platform' }).click();
  await page.getByRole('button', { name: 'Make primary', exact: true }).last().click();
  await page.getByRole('alertdialog', { name: 'Remove the site from Netlify now?' }).waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
  await expect(card.getByText('Netlify')).toHaveCount(0);
  const after = (await card.getByRole('link').first().getAttribute('href')) ?? '';
  expect(after).not.toBe(before);
  expect(await textAt(after)).toBe(ONE['index.html']);
});
