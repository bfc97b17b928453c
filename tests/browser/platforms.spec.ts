import type { Locator, Page } from '@playwright/test';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';
import { TOKEN_GUIDES } from '../../routers/schemas/platforms/token-guides.ts';
import { type Account, clientOf, releaseEnd, startPublish } from '../support/api-account.ts';
import { startRealApp } from '../support/real-app.ts';
import { writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { startRender } from '../support/standins/render/index.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { startVercel } from '../support/standins/vercel/index.ts';
import { ask } from '../support/supervised-app.ts';
import { expectAccessible } from './axe.ts';
import { SMALL } from './fits.ts';
import { expect, nameDeployment, newcomer, testWithOwn } from './fixtures.ts';
import { chooseFolder, expectLive, publishAgain } from './publishing.ts';
import { expectSteady, holdPastClicks, LARGE, watchShifts } from './shifts.ts';

const ONE = {
  'index.html': '<!doctype html><title>One</title><h1>one</h1>',
  'style.css': 'h1 { color: teal }',
};
const TWO = { ...ONE, 'index.html': '<!doctype html><title>Two</title><h1>two</h1>' };
const NEW_TOKEN = 'another-secret-token';

type PlayedPlatform = {
  id: ConnectionProvider;
  title: string;
  consent?: { label: RegExp; options: Record<string, boolean> };
  /** The platform that has to be connected as well. */
  needs?: PlayedPlatform;
};
const PUBLIC = { label: /may be public/, options: { publicFiles: true } };
const NETLIFY: PlayedPlatform = { id: 'netlify', title: 'Netlify' };
const VERCEL: PlayedPlatform = { id: 'vercel', title: 'Vercel' };
const GITHUB: PlayedPlatform = { id: 'github-pages', title: 'GitHub Pages', consent: PUBLIC };
const RENDER: PlayedPlatform = { id: 'render', title: 'Render', consent: PUBLIC, needs: GITHUB };
const HEROKU: PlayedPlatform = {
  id: 'heroku',
  title: 'Heroku',
  consent: { label: /I agree to pay Heroku/, options: { paymentThere: true } },
};

/** Starts the product with every platform that is played in place of the vendor's. */
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

const test = testWithOwn(startPlayedApp);

test.afterEach(({ ownApp }) => {
  expect(Object.values(ownApp.standIns).flatMap(({ drift }) => drift)).toEqual([]);
});

async function connect(page: Page, { id, title, needs }: PlayedPlatform): Promise<void> {
  if (needs !== undefined) await connect(page, needs);
  await page.goto(`/deploy/${id}`);
  await sendToken(page, id);
  await expect(page.getByRole('button', { name: `Test ${title}` })).toBeVisible();
}

async function sendToken(page: Page, id: PlayedPlatform['id']): Promise<void> {
  await page.getByRole('button', { name: `Connect ${CONNECTION_TITLES[id]}` }).click();
  await page.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(TOKEN);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
}

async function publishFirst(page: Page, folder: string, name: string, consent?: RegExp): Promise<void> {
  await chooseFolder(page, folder);
  await nameDeployment(page, name);
  if (consent !== undefined) await page.getByRole('checkbox', { name: consent }).check();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
}

/** Node knows no names below `localhost`. */
async function textAt(address: string): Promise<string> {
  return (await ask(address)).body;
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

function testPublishing(played: PlayedPlatform): void {
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
    await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1', exact: true }).click();
    await expectLive(page);
    expect(await textAt(address)).toBe(ONE['index.html']);
  });
}

function testMending(played: PlayedPlatform): void {
  const { id, title } = played;
  test(`${title}: mended by the screens when its token is refused`, async ({ page, folder, ownApp }) => {
    const { [id]: standIn } = ownApp.standIns;
    const deploymentId = await publishedByScript(await newcomer(page), played);
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
      `${title} no longer accepts the token`,
    );
    await expectAccessible(page, 'a release that failed');
    await expect(dashboard.getByText(/stopped working/)).toBeVisible();
    await expect(dashboard.getByRole('link', { name: 'Replace token' })).toBeVisible();
    expect(await textAt(address)).toBe(ONE['index.html']);

    standIn.admit(NEW_TOKEN);
    await page.getByRole('link', { name: 'Replace token' }).click();
    await page.getByLabel(TOKEN_GUIDES[id].name, { exact: true }).fill(NEW_TOKEN);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    // Who came from the release is led back to it.
    await page.waitForURL(/\/releases\/2$/);
    await expect(dashboard.getByText(/stopped working/)).toBeHidden();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/releases\/3$/);
    await expectLive(page);
    expect(await textAt(address)).toBe(TWO['index.html']);
    // The tests after this one connect by the first token again.
    standIn.admit(TOKEN);
  });
}

/**
 * The screens are the same for all, and tests/platforms checks the requests to each: one platform that takes a site by
 * way of a repository is published to and repaired, and one that takes the files themselves is left for another.
 */
testMending(GITHUB);
if (IS_FULL) {
  for (const played of [NETLIFY, VERCEL, HEROKU, GITHUB, RENDER]) testPublishing(played);
  for (const played of [NETLIFY, VERCEL, HEROKU, RENDER]) testMending(played);
}

/** Publishes on three platforms, which are in their places before anything is sent. */
async function publishInPlace(page: Page, publish: Locator): Promise<void> {
  let send = () => {};
  const isMeasured = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route('**/api/uploads/**', async (route) => {
    await isMeasured;
    await route.fallback();
  });
  await publish.click();
  const platforms = page.getByLabel('Platforms of this release').getByRole('heading');
  await expect(platforms).toHaveText([/^Built-in host/, /^Netlify/, /^Vercel/]);
  const tops = () => platforms.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top + scrollY));
  const before = await tops();
  send();
  await expect(platforms).toHaveText([/Live$/, /Live$/, /Live$/]);
  expect(await tops()).toEqual(before);
  await page.unroute('**/api/uploads/**');
}

test('nothing jumps where a release goes to three platforms, nor where it fails and is tried again', async ({
  page,
  folder,
  ownApp,
}) => {
  const { connections, deployments } = clientOf(await newcomer(page));
  for (const provider of [NETLIFY.id, VERCEL.id]) await connections.connect.mutate({ provider, token: TOKEN });
  await page.addInitScript(watchShifts);
  await holdPastClicks(page);
  await writeSite(folder, ONE);
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  const choose = async (deploymentId: string) => {
    await page.goto(`/deployments/${deploymentId}`);
    await chooseFolder(page, folder);
    await expect(publish).toBeEnabled();
  };
  for (const size of [LARGE, SMALL]) {
    await page.setViewportSize(size);
    const { id } = await deployments.create.mutate({ name: `Three ${size.width}`, platform: 'built-in' });
    for (const platform of [NETLIFY.id, VERCEL.id])
      await deployments.addDestination.mutate({ deploymentId: id, platform });
    await choose(id);
    await expectSteady(page, 'three platforms', () => publishInPlace(page, publish));

    // Beside its picture a panel is as tall whatever it says.
    if (size === LARGE) continue;
    const { id: failing } = await deployments.create.mutate({ name: `Fails ${size.width}`, platform: 'netlify' });
    await choose(failing);
    ownApp.standIns.netlify.fail('release', { how: 'status', status: 403 });
    await expectSteady(page, 'a release that fails', async () => {
      await publish.click();
      await expect(page.getByRole('region', { name: 'Failed', exact: true })).toBeVisible();
    });
    await expectSteady(page, 'the next try', async () => {
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.waitForURL(/\/releases\/2$/);
      await expectLive(page);
    });
  }
});

test('a live deployment moves to another platform: published there, made the primary one, the old one removed', async ({
  page,
  folder,
}) => {
  await newcomer(page);
  await connect(page, NETLIFY);
  await page.goto('/new-deployment?platform=netlify');
  await writeSite(folder, ONE);
  await publishFirst(page, folder, 'Moving quay');
  const before = await expectLive(page);
  await page.goto(`${page.url().replace(/\/releases\/\d+$/, '')}?tab=settings`);
  const card = page.getByLabel('Platforms', { exact: true });
  await card.getByRole('button', { name: 'Add a platform' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Vercel' }).check();
  await expect(page.getByRole('button', { name: 'Add and publish' })).toBeDisabled();
  await sendToken(page, VERCEL.id);
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
