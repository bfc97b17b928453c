import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Account, clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { type DnsLab, startDnsLab } from '../support/dns-lab.ts';
import { setsOf, startDomainLab } from '../support/domain-app.ts';
import { freePort } from '../support/free-ports.ts';
import { startPebble } from '../support/pebble.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { loopRequests } from '../support/request-loop.ts';
import { makeFolder } from '../support/start.ts';
import { askHttp1, handshake } from '../support/tls-visitor.ts';
import { openTrustingBrowser } from '../support/trusting-browser.ts';
import { expect, logIn, nameDeployment, newCredentials, seeDisclaimer, test } from './fixtures.ts';

test('a domain is added as it was pasted, proved by its records, served, broken by another hand, and removed', async ({
  page,
}) => {
  test.setTimeout(240_000);
  await using lab = await startDomainLab();
  await lab.zone('harbour.test');
  await using app = await startRealApp({ ...lab.env, SITES_ADDRESSES: '127.0.0.1' });
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  await publishSite(account, 'harbour', { 'index.html': '<h1>Harbour</h1>' });
  await seeDisclaimer(page, app.url);
  await logIn(page, credentials, app.url);

  await page.goto(`${app.url}/domains`);
  await page.getByRole('button', { name: 'Add a domain' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Domain').fill('not a domain');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(dialog.getByText('Type a domain name like example.com')).toBeVisible();
  await dialog.getByLabel('Domain').fill('HTTPS://Harbour.Test/menu');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'harbour.test' })).toBeVisible();
  await expect(page.getByText('Waiting for proof')).toBeVisible();

  const [domain] = (await clientOf(account).domains.list.query({})).items;
  await lab.write('harbour.test', setsOf(domain?.records ?? []));
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText('Seen by 2 of 2 servers').first()).toBeVisible();
  await expect(page.getByText('Browsers do not trust the certificates of this Fairlead yet')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByText('Issued', { exact: true })).toBeVisible({ timeout: 60_000 });
  // The host reads a certificate when it is told of it, a moment after the page is.
  const visit = () => askHttp1(Number(app.env.SITES_TLS_PORT), 'harbour.test', '/').catch(String);
  await expect.poll(visit).toContain('Harbour');
  await page.getByRole('button', { name: 'Actions for the certificate of harbour.test' }).click();
  const chain = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download the chain' }).click();
  expect((await chain).suggestedFilename()).toBe('harbour.test.pem');

  await lab.write('harbour.test', { 'harbour.test A': ['127.0.0.9'] });
  // Whoever asks again within a second of the last look gets what that one saw.
  await expect(async () => {
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText('Needs attention')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(page.getByText('127.0.0.9').first()).toBeVisible();
  // The last of them may still be under way, and would not find the domain any more.
  await expect(page.getByRole('button', { name: 'Check now' })).toBeEnabled();
  await page.waitForLoadState('networkidle');

  await page.getByRole('button', { name: 'Actions for harbour.test' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('TXT _fairlead.harbour.test')).toBeVisible();
  await page.getByRole('link', { name: 'Back to your domains' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  await expect(page.getByText('No domains yet.')).toBeVisible();
  // Before the app of this test ends, which the page would complain about.
  await page.close();
});

test('All-in-One takes a folder and a domain to a page that a browser trusts; it is renewed, mended and moved', async ({
  page,
  folder,
}) => {
  test.setTimeout(240_000);
  await using lab = await startDnsLab();
  await lab.registry.createZone('quay.test', { 'quay.test NS': ['ns.test.'] });
  const dnsServer = `${lab.resolver.address}:${lab.resolver.port}`;
  const [SITES_PORT, SITES_TLS_PORT] = [String(await freePort()), String(await freePort())];
  await using pebble = await startPebble({ dnsServer, httpPort: Number(SITES_PORT) });
  await using trust = await makeFolder();
  const ACME_CA_FILE = join(trust.path, 'ca.pem');
  await writeFile(ACME_CA_FILE, pebble.apiCa);
  await using app = await startRealApp({
    ...{ SITES_PORT, SITES_TLS_PORT, ACME_CA_FILE, ACME_DIRECTORY_URL: pebble.directoryUrl },
    ...{ DNS_RESOLVERS: dnsServer, DNS_AUTHORITY_PORT: String(lab.port), SITES_ADDRESSES: '127.0.0.1' },
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  const credentials = newCredentials();
  const account = await openAccount(app.url, credentials.username, credentials.password);
  const fields = { url: lab.registry.apiUrl, apiKey: lab.registry.apiKey };
  await clientOf(account).connections.connect.mutate({ provider: 'powerdns', fields });
  await writeFile(join(folder, 'index.html'), '<h1>Quay</h1>');
  await seeDisclaimer(page, app.url);
  await logIn(page, credentials, app.url);

  await page.goto(`${app.url}/unified-deployment`);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await nameDeployment(page, 'Quay');
  const domain = page.getByLabel('Domain of your own (optional)');
  await domain.fill('co.uk');
  await expect(page.getByText('co.uk is an ending that many domains share.')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(domain).toBeFocused();
  expect((await clientOf(account).deployments.list.query({})).items).toEqual([]);
  await domain.fill('https://Quay.test/menu');
  await expect(page.getByText('quay.test with www.quay.test')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Quay is live' })).toBeVisible();

  await page.reload();
  await expect(page.getByText('Waiting for proof that it is yours')).toBeVisible();
  await expect(page.getByText('DNS waits for you')).toBeVisible();
  await page.getByRole('button', { name: 'Set up for me' }).click();
  await page.getByRole('button', { name: /^Write \d records$/ }).click();
  await expect(page.getByText('8 of 8 stages done')).toBeVisible({ timeout: 120_000 });
  await page.reload();
  await expect(page.getByText('8 of 8 stages done')).toBeVisible();
  await expect(page.getByText(/Issued by .*Pebble/)).toBeVisible();

  await page.goto(`${app.url}/guided-deployment`);
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  for (const _question of ['files', 'place', 'name']) await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio', { name: 'I have a domain' }).check();
  await page.getByLabel('Domain', { exact: true }).fill('www.quay.test');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('You have added quay.test and www.quay.test for Quay already.')).toBeVisible();

  const root = await pebble.root();
  await using visitor = await openTrustingBrowser(root, ['quay.test', 'www.quay.test']);
  const run = { page, app, account, lab, root, visitor: await visitor.browser.newPage() };
  await visitBothNames(run, 'Quay');
  const [quay] = (await clientOf(account).domains.list.query({})).items;
  await page.goto(`${app.url}/domains/${quay?.id}`);
  await renew(run);
  await breakAndMend(run);
  await move(run);
  await visitBothNames(run, 'Pier');
  await page.close();
});

type Run = { page: Page; visitor: Page; app: RealApp; account: Account; lab: DnsLab; root: string };

const portOf = ({ app }: Run) => Number(app.env.SITES_TLS_PORT);
const visitByTls = (run: Run) =>
  askHttp1(portOf(run), 'quay.test', '/', { ca: run.root, rejectUnauthorized: true }).catch(String);

/** The browser has the root of the authority among its own, and follows the one name to the other. */
async function visitBothNames(run: Run, heading: string): Promise<void> {
  await expect.poll(() => visitByTls(run)).toContain(heading);
  for (const name of ['quay.test', 'www.quay.test']) {
    const answer = await run.visitor.goto(`https://${name}:${portOf(run)}/`);
    expect((await answer?.securityDetails())?.issuer).toContain('Pebble');
    await expect(run.visitor.getByRole('heading', { name: heading })).toBeVisible();
    expect(run.visitor.url()).toBe(`https://quay.test:${portOf(run)}/`);
  }
}

async function servedSerial(run: Run): Promise<string> {
  const socket = await handshake(portOf(run), 'quay.test', { ca: run.root, rejectUnauthorized: true });
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function renew(run: Run): Promise<void> {
  const before = await servedSerial(run);
  await run.page.getByRole('button', { name: 'Actions for the certificate of quay.test' }).click();
  await run.page.getByRole('menuitem', { name: 'Renew', exact: true }).click();
  await expect.poll(() => servedSerial(run)).not.toBe(before);
  await visitBothNames(run, 'Quay');
}

/** Somebody takes the address out of the zone: it is seen, and written again through the connection. */
async function breakAndMend({ page, lab }: Run): Promise<void> {
  const checkUntil = (text: string) =>
    expect(async () => {
      await page.getByRole('button', { name: 'Check now' }).click();
      await expect(page.getByText(text, { exact: true })).toBeVisible({ timeout: 2_000 });
    }).toPass();
  await lab.registry.writeSets('quay.test', { 'quay.test A': [] });
  await checkUntil('Needs attention');
  await page.getByRole('button', { name: 'Fix it' }).click();
  await page.getByRole('button', { name: /^Write \d records$/ }).click();
  await checkUntil('Active');
}

/** Visitors ask all the while, and each of them gets the one site or the other. */
async function move(run: Run): Promise<void> {
  const { page, account } = run;
  await publishSite(account, 'Pier', { 'index.html': '<h1>Pier</h1>' });
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
  await expect(page.getByText('quay.test points to the other deployment.').first()).toBeVisible();
  await expect.poll(() => visitByTls(run)).toContain('Pier');
  moved.abort();
  const { answered, again } = await load;
  expect(again).toEqual([]);
  expect(answered).toBeGreaterThan(0);
}
