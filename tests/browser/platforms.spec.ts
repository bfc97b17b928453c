import type { Page } from '@playwright/test';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { TOKEN_GUIDES } from '../../routers/schemas/platforms/token-guides.ts';
import { get } from '../support/host.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { startRender } from '../support/standins/render/index.ts';
import { startReplit } from '../support/standins/replit/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { startVercel } from '../support/standins/vercel/index.ts';
import { expect, nameDeployment, newcomer, test } from './fixtures.ts';

const NEW_TOKEN = 'another-secret-token';
const ONE = { 'index.html': '<!doctype html><title>One</title><h1>one</h1>', 'style.css': 'h1 { color: teal }' };
const TWO = { ...ONE, 'index.html': '<!doctype html><title>Two</title><h1>two</h1>' };

type Played = { revoke(): void; admit(token: string): void };
type PlayedPlatform = { id: ConnectionProvider; title: string; consent?: RegExp; needs?: PlayedPlatform };
const NETLIFY: PlayedPlatform = { id: 'netlify', title: 'Netlify' };
const VERCEL: PlayedPlatform = { id: 'vercel', title: 'Vercel' };
const GITHUB: PlayedPlatform = { id: 'github-pages', title: 'GitHub Pages', consent: /may be public/ };
const RENDER: PlayedPlatform = { id: 'render', title: 'Render', consent: /may be public/, needs: GITHUB };
const HEROKU: PlayedPlatform = { id: 'heroku', title: 'Heroku', consent: /not free/ };

/** Starts the product with every platform that is played in the place of the vendor's. */
async function startPlayedApp() {
  const netlify = await startNetlify();
  const vercel = await startVercel();
  const github = await startGithub();
  const render = await startRender(github.state);
  const heroku = await startHeroku();
  const app = await startRealApp({
    NETLIFY_API_URL: netlify.apiUrl,
    VERCEL_API_URL: vercel.apiUrl,
    GITHUB_API_URL: github.apiUrl,
    RENDER_API_URL: render.apiUrl,
    HEROKU_API_URL: heroku.apiUrl,
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  });
  const standIns: Record<ConnectionProvider, Played> = { netlify, vercel, 'github-pages': github, render, heroku };
  return {
    app,
    standIns,
    async [Symbol.asyncDispose]() {
      for (const started of [app, netlify, vercel, render, github, heroku]) await started[Symbol.asyncDispose]();
      expect([netlify, vercel, render, github, heroku].flatMap(({ drift }) => drift)).toEqual([]);
    },
  };
}

async function connect(page: Page, app: RealApp, { id, title, needs }: PlayedPlatform): Promise<void> {
  if (needs !== undefined) await connect(page, app, needs);
  await page.goto(`${app.url}/deploy/${id}`);
  await page.getByRole('button', { name: `Connect ${title}` }).click();
  await page.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(TOKEN);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('button', { name: `Test ${title}` })).toBeVisible();
}

async function publishFirst(page: Page, folder: string, name: string, consent?: RegExp): Promise<string> {
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, name);
  if (consent !== undefined) await page.getByRole('checkbox', { name: consent }).check();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
  return liveAddress(page);
}

async function liveAddress(page: Page): Promise<string> {
  const panel = page.getByLabel('Live', { exact: true });
  await expect(panel).toBeVisible();
  return (await panel.getByRole('link', { name: 'Visit' }).getAttribute('href')) ?? '';
}

/** Publishes the folder as it is now on the deployment whose release is shown. */
async function publishAgain(page: Page, folder: string, number: number): Promise<void> {
  await page.goto(`${page.url().replace(/\/releases\/\d+$/, '')}#publish`);
  // A tab behind another one takes no files: Chromium tells it of them when it is seen again.
  await page.bringToFront();
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(new RegExp(`/releases/${number}$`));
}

async function textAt(address: string): Promise<string> {
  const { host, port, pathname } = new URL(address);
  return (await get(Number(port), host, pathname)).text;
}

for (const played of [NETLIFY, VERCEL, GITHUB, RENDER, HEROKU]) {
  const { id, title, consent } = played;
  test(`${title}: published by the screens, changed, rolled back, and mended when its token is refused`, async ({
    page,
    folder,
  }) => {
    await using playing = await startPlayedApp();
    const { app, standIns } = playing;
    await newcomer(page, app.url);
    await connect(page, app, played);
    await page.getByRole('link', { name: `Publish to ${title}` }).click();
    await page.waitForURL(`**/new-deployment?platform=${id}`);
    await writeSite(folder, ONE);
    const address = await publishFirst(page, folder, `Quay ${id}`, consent);
    expect(await textAt(address)).toBe(ONE['index.html']);

    await writeSite(folder, TWO);
    await publishAgain(page, folder, 2);
    expect(await liveAddress(page)).toBe(address);
    expect(await textAt(address)).toBe(TWO['index.html']);

    await page.goto(page.url().replace(/2$/, '1'));
    await page.getByRole('button', { name: 'Roll back to release 1' }).click();
    await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
    await liveAddress(page);
    expect(await textAt(address)).toBe(ONE['index.html']);

    // It is told where the dashboard stands open, without a reload.
    const dashboard = await page.context().newPage();
    await dashboard.goto(`${app.url}/dashboard`);
    await expect(dashboard.locator('#content').getByRole('heading', { name: 'Deployments' })).toBeVisible();
    standIns[id].revoke();
    await publishAgain(page, folder, 3);
    await expect(page.getByRole('region', { name: 'Failed', exact: true })).toContainText(
      `${title} does not accept the token`,
    );
    await expect(dashboard.getByText(/stopped working/)).toBeVisible();
    expect(await textAt(address)).toBe(ONE['index.html']);

    standIns[id].admit(NEW_TOKEN);
    await dashboard.getByRole('link', { name: 'Replace token' }).click();
    await dashboard.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(NEW_TOKEN);
    await dashboard.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(dashboard.getByRole('dialog')).toBeHidden();
    await expect(dashboard.getByText('Not working', { exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/releases\/4$/);
    await liveAddress(page);
    expect(await textAt(address)).toBe(TWO['index.html']);
    await dashboard.goto(`${app.url}/dashboard`);
    await expect(dashboard.locator('#content').getByRole('heading', { name: 'Deployments' })).toBeVisible();
    await expect(dashboard.getByText(/stopped working/)).toBeHidden();
    // Before the app ends: a page that stands open would complain about its socket.
    await dashboard.close();
    await page.goto('about:blank');
  });
}

test('a live deployment moves to another platform: published there, made the primary one, the old one removed', async ({
  page,
  folder,
}) => {
  await using playing = await startPlayedApp();
  const { app } = playing;
  await newcomer(page, app.url);
  await connect(page, app, NETLIFY);
  await connect(page, app, VERCEL);
  await page.goto(`${app.url}/new-deployment?platform=netlify`);
  await writeSite(folder, ONE);
  const before = await publishFirst(page, folder, 'Moving quay');
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
  await page.goto('about:blank');
});

test('Replit: finished by hand with the archive, seen from outside, and changed', async ({ page, folder }) => {
  await using replit = await startReplit();
  await using app = await startRealApp({ EGRESS_ALLOW: '127.0.0.0/8,::1/128' });
  await newcomer(page, app.url);
  await page.goto(`${app.url}/deploy/replit`);
  await page.getByRole('link', { name: 'Publish to Replit' }).click();
  await writeSite(folder, ONE);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, 'Quay by hand');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);

  const panel = page.getByLabel('Waiting for you', { exact: true });
  const address = replit.publishByHand('quay', TWO);
  const archive = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Download the archive' }).click();
  expect((await archive).suggestedFilename()).toMatch(/\.zip$/);
  await panel.getByLabel('Address at Replit').fill(address);
  await panel.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText(/another entry page than this release has/).first()).toBeVisible();
  replit.publishByHand('quay', ONE);
  expect(await liveAddress(page)).toBe(address);

  await writeSite(folder, TWO);
  await publishAgain(page, folder, 2);
  await panel.getByLabel('Address at Replit').fill(address);
  await panel.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText(/another entry page than this release has/).first()).toBeVisible();
  // Only now: the known address is looked at by itself as well, and the panel goes once the right page is there.
  replit.publishByHand('quay', TWO);
  expect(await liveAddress(page)).toBe(address);

  await page.goto(page.url().replace(/2$/, '1'));
  const superseded = page.getByLabel('Superseded', { exact: true });
  await expect(superseded).toContainText('Going back is done at Replit');
  await expect(page.getByRole('button', { name: /^Roll back/ })).toHaveCount(0);
  await page.goto('about:blank');
});
