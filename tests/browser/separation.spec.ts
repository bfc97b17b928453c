import type { BrowserContext, Page } from '@playwright/test';
import { publishSite } from '../support/api-account.ts';
import { expect, newcomer, refusedCall, test } from './fixtures.ts';

/** The names that the app's cookies have, over http and over https. */
const COOKIES = ['fairlead_refresh', '__Host-fairlead_refresh', 'disclaimerSeen'];
const PLANTED = 'PLANTED';

/** A site that does what it can: plants cookies under the app's names, and calls the app in every way a page has. */
function hostileSite(appUrl: string): Record<string, string> {
  const script = `
    const tried = [];
    for (const name of ${JSON.stringify(COOKIES)}) {
      for (const more of ['', '; Domain=localhost', '; Domain=.localhost', '; Domain=localhost; Path=/api', '; Secure']) {
        document.cookie = name + '=${PLANTED}' + more + (more.includes('Path') ? '' : '; Path=/');
        tried.push(more);
      }
    }
    const calls = [
      ['POST', '/api/refresh-token'], ['GET', '/api/user'], ['POST', '/api/logout'], ['GET', '/'],
    ].map(([method, path]) => fetch(${JSON.stringify(appUrl)} + path, { method, mode: 'no-cors', credentials: 'include' }).catch(() => null));
    const image = new Image();
    const seen = new Promise((resolve) => { image.onload = image.onerror = resolve; });
    image.src = ${JSON.stringify(appUrl)} + '/api/user';
    await Promise.all([...calls, seen]);
    document.title = 'tried ' + tried.length;
  `;
  return {
    'index.html': `<!doctype html><title>evil</title><script type="module">${script}</script>secret of the tenant`,
  };
}

type Sent = { url: string; from: string; cookie: string };

/** Every request of the context with the cookies that really went out with it. */
function watchCookies(context: BrowserContext): () => Promise<Sent[]> {
  const reading: Promise<Sent>[] = [];
  context.on('request', (request) => {
    // A navigation has no frame yet that could be named.
    const from = request.isNavigationRequest() ? '' : request.frame().url();
    reading.push(
      request.allHeaders().then(
        (headers) => ({ url: request.url(), from, cookie: headers.cookie ?? '' }),
        () => ({ url: request.url(), from, cookie: '' }),
      ),
    );
  });
  return () => Promise.all(reading);
}

async function refreshCookie(page: Page, url: string): Promise<string | undefined> {
  const cookies = await page.context().cookies(url);
  return cookies.find(({ name }) => name === 'fairlead_refresh')?.value;
}

test('no cookie of the app ever reaches a site, and no site plants one for the app', async ({
  page,
  app,
  complaints,
}) => {
  // The app refuses strangers, and the browser writes that down.
  complaints.allow(/Failed to load resource: net::ERR_BLOCKED_BY_RESPONSE\.NotSameOrigin/);
  complaints.allow(refusedCall(401, '/api/user'));
  complaints.allow(refusedCall(403, '/api/'));
  const account = await newcomer(page);
  const site = await publishSite(account, 'evil', hostileSite(app.url));
  await page.goto('/dashboard');
  const own = await refreshCookie(page, app.url);
  expect(own).toBeTruthy();

  const sent = watchCookies(page.context());
  await page.reload();
  await page.waitForLoadState('networkidle');
  const visitor = await page.context().newPage();
  await visitor.goto(site.siteUrl);
  await expect(visitor).toHaveTitle('tried 15');

  // The control: what goes out from the app itself does carry them.
  const requests = await sent();
  const host = new URL(site.siteUrl).host;
  const isOfSite = ({ url, from }: Sent): boolean => new URL(url).host === host || from.startsWith(site.siteUrl);
  expect(requests.filter((request) => !isOfSite(request)).some(({ cookie }) => cookie.includes('disclaimerSeen'))).toBe(
    true,
  );
  const ofSite = requests.filter(isOfSite);
  expect(ofSite.filter(({ url }) => url.startsWith(app.url)).length).toBeGreaterThanOrEqual(5);
  for (const { url, cookie } of ofSite.filter((request) => request.url.startsWith(app.url)))
    expect(cookie, url).toBe('');
  for (const { url, cookie } of ofSite) expect(cookie.replaceAll(PLANTED, ''), url).not.toMatch(/=[^;]/);

  const forApp = await page.context().cookies([app.url, `${app.url}/api/refresh-token`]);
  expect(forApp.filter(({ value }) => value === PLANTED)).toEqual([]);
  await page.goto(`${app.url}/deployments`);
  await expect(page.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
});

test('the bare name on the port of the sites shows nothing of any tenant', async ({ page, app, complaints }) => {
  complaints.allow(/status of 421/);
  const account = await newcomer(page);
  await publishSite(account, 'bare', hostileSite(app.url));
  for (const name of ['localhost', '127.0.0.1']) {
    const answer = await page.goto(`http://${name}:${app.sitesPort}/`);
    expect(answer?.status(), name).toBe(421);
    expect(await page.content()).not.toContain('secret of the tenant');
    expect(answer?.headers()['set-cookie'], name).toBeUndefined();
  }
});
