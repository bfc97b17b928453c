import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { startDnsLab } from '../support/dns-lab.ts';
import { setsOf } from '../support/domain-lab.ts';
import { freePort } from '../support/free-ports.ts';
import { startPebble } from '../support/pebble.ts';
import { startRealApp } from '../support/real-app.ts';
import { loopRequests } from '../support/request-loop.ts';
import { makeFolder } from '../support/start.ts';
import { askHttp1, handshake } from '../support/tls-visitor.ts';
import { openTrustingBrowser } from '../support/trusting-browser.ts';
import { expect, nameDeployment, newCredentials, newcomer, signIn, testWithOwn } from './fixtures.ts';

const NAMES = ['quay.test', 'www.quay.test'];

/** An app whose authority is Pebble, with an account that may write the zone of `quay.test`. */
async function startWorld() {
  const lab = await startDnsLab();
  await lab.registry.createZone('quay.test', { 'quay.test NS': ['ns.test.'] });
  const dnsServer = `${lab.resolver.address}:${lab.resolver.port}`;
  const [SITES_PORT, SITES_TLS_PORT] = [String(await freePort()), String(await freePort())];
  const pebble = await startPebble({ dnsServer, httpPort: Number(SITES_PORT) });
  const trust = await makeFolder();
  const ACME_CA_FILE = join(trust.path, 'ca.pem');
  await writeFile(ACME_CA_FILE, pebble.apiCa);
  const app = await startRealApp({
    ...{ SITES_PORT, SITES_TLS_PORT, ACME_CA_FILE, ACME_DIRECTORY_URL: pebble.directoryUrl },
    ...{ DNS_RESOLVERS: dnsServer, DNS_AUTHORITY_PORT: String(lab.port), SITES_ADDRESSES: '127.0.0.1' },
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const fields = { url: lab.registry.apiUrl, apiKey: lab.registry.apiKey };
  await clientOf(account).connections.connect.mutate({ provider: 'powerdns', fields });
  const stopApp = app[Symbol.asyncDispose];
  return Object.assign(app, {
    lab,
    pebble,
    credentials,
    account,
    async [Symbol.asyncDispose]() {
      await stopApp();
      for (const started of [trust, pebble, lab]) await started[Symbol.asyncDispose]();
    },
  });
}
type World = Awaited<ReturnType<typeof startWorld>>;

const test = testWithOwn(startWorld);
// The second goes on with the domain that the first has taken on air.
test.describe.configure({ mode: 'serial' });

test('All-in-One takes a folder and a domain to a page that a browser trusts', async ({ page, folder, ownApp }) => {
  const { account } = ownApp;
  await writeFile(join(folder, 'index.html'), '<h1>Quay</h1>');
  await signIn(page, ownApp.credentials);

  await page.goto('/unified-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, 'Quay');
  const domain = page.getByLabel('Domain of your own (optional)');
  await domain.fill('co.uk');
  await expect(page.getByText('co.uk is an ending that many domains share.')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(domain).toBeFocused();
  expect((await clientOf(account).deployments.list.query({})).items).toEqual([]);
  await domain.fill('https://Quay.test/menu');
  await expect(page.getByText('quay.test with www')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Quay is live' })).toBeVisible();

  await page.reload();
  await expect(page.getByText('On hold until this Fairlead is public.')).toBeVisible();
  await expect(page.getByText('5 of 5 stages done')).toBeVisible();
  await page.getByRole('button', { name: 'Set up for me' }).click();
  await page.getByRole('button', { name: /^Write \d records$/ }).click();
  await expect(page.getByText('8 of 8 stages done')).toBeVisible({ timeout: 60_000 });
  await page.reload();
  await expect(page.getByText('8 of 8 stages done')).toBeVisible();
  await expect(page.getByText(/Issued by .*Pebble/)).toBeVisible();

  await page.goto('/guided-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  for (const _question of ['files', 'place', 'name']) await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio', { name: 'I have a domain' }).check();
  await page.getByLabel('Domain', { exact: true }).fill('www.quay.test');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('You have already added quay.test and www.quay.test for Quay.')).toBeVisible();

  const root = await ownApp.pebble.root();
  await using visitor = await openTrustingBrowser(root, NAMES);
  await visitBothNames({ ...QUAY, page, world: ownApp, root, visitor: await visitor.browser.newPage() });
});

test('its certificate is renewed, its records are mended, and its domain moves to another deployment', async ({
  page,
  ownApp,
}) => {
  const root = await ownApp.pebble.root();
  await using visitor = await openTrustingBrowser(root, NAMES);
  const run = { ...QUAY, page, world: ownApp, root, visitor: await visitor.browser.newPage() };
  await signIn(page, ownApp.credentials);
  const [quay] = (await clientOf(ownApp.account).domains.list.query({})).items;
  await page.goto(`/domains/${quay?.id}`);
  await renew(run);
  await breakRecords(run);
  await page.getByRole('button', { name: 'Fix it' }).click();
  await page.getByRole('button', { name: /^Write \d records$/ }).click();
  await checkUntil(page, 'Active');
  await move(run);
  await visitBothNames({ ...run, heading: 'Pier' });
});

test('a name that is pasted, with its records copied by hand, ends as a page that a browser trusts, is renewed and mended, and removed', async ({
  page,
  ownApp,
}) => {
  const account = await newcomer(page);
  await publishSite(account, 'Jetty', { 'index.html': '<h1>Jetty</h1>' });
  await page.goto('/domains');
  await page.getByRole('button', { name: 'Add a domain' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Domain').fill('not a domain');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(dialog.getByText('Type a domain name like example.com')).toBeVisible();
  await dialog.getByLabel('Domain').fill('HTTPS://Jetty.Test/menu');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'jetty.test' })).toBeVisible();

  const records = await copyRecords(page, 'jetty.test');
  await ownApp.lab.registry.createZone('jetty.test', { 'jetty.test NS': ['ns.test.'], ...setsOf(records) });
  await expect(page.getByText('Issued', { exact: true })).toBeVisible({ timeout: 60_000 });
  const root = await ownApp.pebble.root();
  await using visitor = await openTrustingBrowser(root, ['jetty.test', 'www.jetty.test']);
  const jetty = { apex: 'jetty.test', heading: 'Jetty' };
  const run = { ...jetty, page, world: ownApp, root, visitor: await visitor.browser.newPage() };
  await visitBothNames(run);
  await renew(run);
  await breakRecords(run);
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Fix it' }).click();
  await expect(page.getByText('The A record of jetty.test is gone.')).toBeVisible();
  await ownApp.lab.registry.writeSets('jetty.test', setsOf(records));
  await checkUntil(page, 'Active');
  await visitBothNames(run);

  await page.getByRole('button', { name: 'Actions for the certificate of jetty.test' }).click();
  const chain = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download the certificate chain' }).click();
  expect((await chain).suggestedFilename()).toBe('jetty.test.pem');
  await page.getByRole('button', { name: 'Actions for jetty.test' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('TXT _fairlead.jetty.test')).toBeVisible();
  await page.getByRole('link', { name: 'Back to your domains' }).click();
  await expect(page.getByText('No domains yet.')).toBeVisible();
});

/** Copies the records, with the page's buttons, that a person takes to a provider that Fairlead does not know. */
async function copyRecords(page: Page, zone: string) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (row: Locator, what: string): Promise<string> => {
    await row.getByRole('button', { name: `Copy the ${what} ` }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const records: { type: string; name: string; value: string }[] = [];
  // They lead to this computer, where the page folds them.
  await page.getByText('Show the records').click();
  for (const row of await page.getByRole('table', { name: 'Records' }).locator('tbody tr').all()) {
    const type = await row.getByRole('cell').first().innerText();
    const [short, value] = [await copied(row, 'name'), await copied(row, 'value')];
    // Of several types for one name one is enough, and few providers have this one.
    if (type !== 'ALIAS') records.push({ type, name: short === '@' ? zone : `${short}.${zone}`, value });
  }
  return records;
}

type Run = { page: Page; visitor: Page; world: World; root: string; apex: string; heading: string };
const QUAY = { apex: 'quay.test', heading: 'Quay' };

const portOf = ({ world }: Run) => Number(world.env.SITES_TLS_PORT);
const visitByTls = (run: Run) =>
  askHttp1(portOf(run), run.apex, '/', { ca: run.root, rejectUnauthorized: true }).catch(String);

/** The browser has the root of the authority among its own, and follows the one name to the other. */
async function visitBothNames(run: Run): Promise<void> {
  const { apex, heading } = run;
  await expect.poll(() => visitByTls(run)).toContain(heading);
  for (const name of [apex, `www.${apex}`]) {
    const answer = await run.visitor.goto(`https://${name}:${portOf(run)}/`);
    expect((await answer?.securityDetails())?.issuer).toContain('Pebble');
    await expect(run.visitor.getByRole('heading', { name: heading })).toBeVisible();
    expect(run.visitor.url()).toBe(`https://${apex}:${portOf(run)}/`);
  }
}

async function servedSerial(run: Run): Promise<string> {
  const socket = await handshake(portOf(run), run.apex, { ca: run.root, rejectUnauthorized: true });
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function renew(run: Run): Promise<void> {
  const before = await servedSerial(run);
  await run.page.getByRole('button', { name: `Actions for the certificate of ${run.apex}` }).click();
  await run.page.getByRole('menuitem', { name: 'Renew', exact: true }).click();
  await expect.poll(() => servedSerial(run)).not.toBe(before);
  await visitBothNames(run);
}

const checkUntil = (page: Page, text: string) =>
  expect(async () => {
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText(text, { exact: true })).toBeVisible({ timeout: 2_000 });
  }).toPass();

/** Somebody takes the address out of the zone, and it is seen. */
async function breakRecords({ page, world, apex }: Run): Promise<void> {
  await world.lab.registry.writeSets(apex, { [`${apex} A`]: [] });
  await checkUntil(page, 'Needs attention');
}

/** Visitors ask all the while, and each of them gets the one site or the other. */
async function move(run: Run): Promise<void> {
  const { page } = run;
  await publishSite(run.world.account, 'Pier', { 'index.html': '<h1>Pier</h1>' });
  await page.reload();
  const moved = new AbortController();
  const question = async () => {
    const body = await visitByTls(run);
    return { status: /^HTTP\/1\.1 200 .*<h1>(?:Quay|Pier)</s.test(body) ? 200 : 0, headers: {}, body };
  };
  const load = loopRequests({ everyMs: 10, question, until: moved.signal });
  await page.getByRole('button', { name: 'Actions for quay.test' }).click();
  await page.getByRole('menuitem', { name: 'Move to another deployment' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await expect(page.getByText('quay.test points to Pier now.').first()).toBeVisible();
  await expect.poll(() => visitByTls(run)).toContain('Pier');
  moved.abort();
  const { answered, again } = await load;
  expect(again).toEqual([]);
  expect(answered).toBeGreaterThan(0);
}
