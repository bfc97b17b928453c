import type { Page } from '@playwright/test';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { TOKEN_GUIDES } from '../../routers/schemas/platforms/token-guides.ts';
import { type Account, clientOf, openAccount, releaseEnd, startPublish } from '../support/api-account.ts';
import { get } from '../support/host.ts';
import { startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { startRender } from '../support/standins/render/index.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { startVercel } from '../support/standins/vercel/index.ts';
import { expect, logIn, nameDeployment, newCredentials, newcomer, seeDisclaimer, testWithOwn } from './fixtures.ts';
import { chooseFolder, expectLive } from './publishing.ts';

export const ONE = {
  'index.html': '<!doctype html><title>One</title><h1>one</h1>',
  'style.css': 'h1 { color: teal }',
};
export const TWO = { ...ONE, 'index.html': '<!doctype html><title>Two</title><h1>two</h1>' };
const NEW_TOKEN = 'another-secret-token';

export type PlayedPlatform = {
  id: ConnectionProvider;
  title: string;
  consent?: { label: RegExp; options: Record<string, boolean> };
  /** The platform that has to be connected as well. */
  needs?: PlayedPlatform;
};
const PUBLIC = { label: /may be public/, options: { publicFiles: true } };
export const NETLIFY: PlayedPlatform = { id: 'netlify', title: 'Netlify' };
export const VERCEL: PlayedPlatform = { id: 'vercel', title: 'Vercel' };
export const GITHUB: PlayedPlatform = { id: 'github-pages', title: 'GitHub Pages', consent: PUBLIC };
export const RENDER: PlayedPlatform = { id: 'render', title: 'Render', consent: PUBLIC, needs: GITHUB };
export const HEROKU: PlayedPlatform = {
  id: 'heroku',
  title: 'Heroku',
  consent: { label: /I pay Heroku/, options: { paymentThere: true } },
};

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
  const stopApp = app[Symbol.asyncDispose];
  const standIns = { netlify, vercel, 'github-pages': github, render, heroku } as const;
  return Object.assign(app, {
    standIns,
    async [Symbol.asyncDispose]() {
      await stopApp();
      for (const standIn of Object.values(standIns)) await standIn[Symbol.asyncDispose]();
    },
  });
}

export const test = testWithOwn(startPlayedApp);

test.afterEach(({ ownApp }) => {
  expect(Object.values(ownApp.standIns).flatMap(({ drift }) => drift)).toEqual([]);
});

export async function connect(page: Page, { id, title, needs }: PlayedPlatform): Promise<void> {
  if (needs !== undefined) await connect(page, needs);
  await page.goto(`/deploy/${id}`);
  await page.getByRole('button', { name: `Connect ${title}` }).click();
  await page.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(TOKEN);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('button', { name: `Test ${title}` })).toBeVisible();
}

export async function publishFirst(page: Page, folder: string, name: string, consent?: RegExp): Promise<void> {
  await chooseFolder(page, folder);
  await nameDeployment(page, name);
  if (consent !== undefined) await page.getByRole('checkbox', { name: consent }).check();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
}

/** Publishes the folder as it is now on the deployment whose release is shown. */
export async function publishAgain(page: Page, folder: string, number: number): Promise<void> {
  await page.goto(`${page.url().replace(/\/releases\/\d+$/, '')}#publish`);
  // A tab behind another one takes no files: Chromium tells it of them when it is seen again.
  await page.bringToFront();
  await chooseFolder(page, folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(new RegExp(`/releases/${number}$`));
}

export async function textAt(address: string): Promise<string> {
  const { host, port, pathname } = new URL(address);
  return (await get(Number(port), host, pathname)).text;
}

/** Returns a deployment of a new account at the platform, whose release 1 is live. */
async function publishedByScript(account: Account, { id, consent, needs }: PlayedPlatform): Promise<string> {
  const client = clientOf(account);
  if (needs !== undefined) await client.connections.connect.mutate({ provider: needs.id, token: TOKEN });
  await client.connections.connect.mutate({ provider: id, token: TOKEN });
  const options = consent === undefined ? {} : { options: consent.options };
  const { id: deploymentId } = await client.deployments.create.mutate({ name: `Pier ${id}`, platform: id, ...options });
  const { release } = await startPublish(account, { deploymentId }, ONE);
  expect(await releaseEnd(account, release.id)).toBe('live');
  return deploymentId;
}

export function testPublishing(played: PlayedPlatform): void {
  const { id, title, consent } = played;
  test(`${title}: published by the screens, changed, and rolled back`, async ({ page, folder }) => {
    await newcomer(page);
    await connect(page, played);
    await page.getByRole('link', { name: `Publish to ${title}` }).click();
    await page.waitForURL(`**/new-deployment?platform=${id}`);
    await writeSite(folder, ONE);
    await publishFirst(page, folder, `Quay ${id}`, consent?.label);
    const address = await expectLive(page);
    expect(await textAt(address)).toBe(ONE['index.html']);

    await writeSite(folder, TWO);
    await publishAgain(page, folder, 2);
    expect(await expectLive(page)).toBe(address);
    expect(await textAt(address)).toBe(TWO['index.html']);

    await page.goto(page.url().replace(/2$/, '1'));
    await page.getByRole('button', { name: 'Roll back to release 1' }).click();
    await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
    await expectLive(page);
    expect(await textAt(address)).toBe(ONE['index.html']);
  });
}

export function testMending(played: PlayedPlatform): void {
  const { id, title } = played;
  test(`${title}: mended by the screens when its token is refused`, async ({ page, folder, ownApp }) => {
    const { [id]: standIn } = ownApp.standIns;
    const credentials = newCredentials();
    const account = await openAccount(ownApp.url, credentials.username, credentials.password);
    const deploymentId = await publishedByScript(account, played);
    await seeDisclaimer(page);
    await logIn(page, credentials);
    await page.goto(`/deployments/${deploymentId}/releases/1`);
    const address = await expectLive(page);
    await writeSite(folder, TWO);
    // It is told where the dashboard stands open, without a reload.
    const dashboard = await page.context().newPage();
    await dashboard.goto('/dashboard');
    await expect(dashboard.locator('#content').getByRole('heading', { name: 'Deployments' })).toBeVisible();
    standIn.revoke();
    await publishAgain(page, folder, 2);
    await expect(page.getByRole('region', { name: 'Failed', exact: true })).toContainText(
      `${title} does not accept the token`,
    );
    await expect(dashboard.getByText(/stopped working/)).toBeVisible();
    expect(await textAt(address)).toBe(ONE['index.html']);

    standIn.admit(NEW_TOKEN);
    await dashboard.getByRole('link', { name: 'Replace token' }).click();
    await dashboard.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(NEW_TOKEN);
    await dashboard.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(dashboard.getByRole('dialog')).toBeHidden();
    await expect(dashboard.getByText('Not working', { exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/releases\/3$/);
    await expectLive(page);
    expect(await textAt(address)).toBe(TWO['index.html']);
    await dashboard.goto('/dashboard');
    await expect(dashboard.locator('#content').getByRole('heading', { name: 'Deployments' })).toBeVisible();
    await expect(dashboard.getByText(/stopped working/)).toBeHidden();
    // The tests after this one connect by the first token again.
    standIn.admit(TOKEN);
  });
}
