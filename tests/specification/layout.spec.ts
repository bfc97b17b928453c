import type { BrowserContext, Locator, Page } from '@playwright/test';
import { ASKED_TOO_LATE, expect, test } from '../browser/fixtures.ts';
import { enrol, seenBefore, signedIn } from './accounts.ts';
import { holdScreens } from './held-network.ts';
import { follow } from './navigation.ts';

type Group = readonly [name: string, entries: readonly (readonly [name: string, href: string])[]];

const GROUPS: readonly Group[] = [
  [
    'Main',
    [
      ['Home', '/'],
      ['Dashboard', '/dashboard'],
      ['Analytics', '/analytics'],
    ],
  ],
  [
    'Deployments',
    [
      ['Active Deployments', '/deployments'],
      ['Deployment History', '/deployment-history'],
      ['New Deployment', '/new-deployment'],
    ],
  ],
  [
    'Configuration',
    [
      ['Domains', '/domains'],
      ['SSL Certificates', '/certificates'],
      ['Settings', '/settings'],
    ],
  ],
  [
    'Tools',
    [
      ['All-in-One Deployment New', '/unified-deployment'],
      ['Deploy to Netlify', '/deploy/netlify'],
      ['Guided Deployment', '/guided-deployment'],
      ['System Diagnostics New', '/diagnostics'],
      ['Test & Simulation', '/test-simulation'],
      ['License Management', '/license-management'],
    ],
  ],
];

const FOOTER: Group[1] = [
  ['Pricing & Trial Beta', '/pricing'],
  ['About', '/about'],
  ['Logout', '/login'],
];

/** Tools is a group of it, since the mobile menu has none. */
const ACCOUNT_MENU = ['Account', 'Pricing & Trial', 'Help & Documentation', 'Log out'];

async function signInFor(context: BrowserContext, url: string): Promise<Awaited<ReturnType<typeof enrol>>> {
  await seenBefore(context, url);
  return enrol(context.request, { accepted: true, subscribed: true });
}

/** Name and address of every link, in the order they are shown. */
async function entriesOf(area: Locator): Promise<[string, string][]> {
  return area
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link): [string, string] => [
        (link instanceof HTMLElement ? link.innerText : '').replace(/\s+/g, ' ').trim(),
        link.getAttribute('href') ?? '',
      ]),
    );
}

function group(area: Locator | Page, name: string): Locator {
  return area.getByRole('region', { name, exact: true });
}

test('the sidebar Logout entry points to /login and logs out', async ({ page, context, app, complaints }) => {
  complaints.allow(ASKED_TOO_LATE);
  const person = await signInFor(context, app.url);
  await page.goto('/help');
  const logout = page.getByRole('complementary').getByRole('link', { name: 'Logout' });
  await expect(logout).toHaveAttribute('href', '/login');
  await logout.click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
  // The session is over at the server as well, for this token and for the cookie.
  await expect
    .poll(async () => (await context.request.get('/api/user', { headers: signedIn(person) })).status())
    .toBe(401);
  await page.goto('/settings');
  await expect(page).toHaveURL('/auth?redirect=%2Fsettings');

  // Signed out it reads the same and leads to the same place.
  await page.goto('/pricing');
  await expect(page.getByRole('complementary').getByRole('link', { name: 'Logout' })).toHaveAttribute('href', '/login');
});

async function seeSidebar(page: Page): Promise<void> {
  const sidebar = page.getByRole('complementary');
  await expect(sidebar.getByText('Fast domain deployment')).toBeVisible();
  for (const [name, entries] of GROUPS) {
    expect(await entriesOf(group(sidebar, name)), name).toEqual(entries.map((entry) => [...entry]));
  }
  const all = await entriesOf(sidebar);
  expect(all.slice(-FOOTER.length)).toEqual(FOOTER.map((entry) => [...entry]));
}

async function seeSlideIn(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('complementary')).toBeHidden();
  const bar = page.getByRole('banner');
  await expect(bar.getByText('Settings')).toBeVisible();
  const opener = bar.getByRole('button', { name: /menu/i }).first();
  const menu = page.getByRole('dialog');

  await opener.click();
  await expect(menu).toBeVisible();
  for (const [name, entries] of GROUPS.slice(0, 3)) {
    expect(await entriesOf(group(menu, name)), name).toEqual(entries.map((entry) => [...entry]));
  }
  await expect(menu.getByText('Tools', { exact: true })).toHaveCount(0);
  await expect(menu.getByRole('link', { name: 'System Diagnostics' })).toHaveCount(0);

  const holdsFocus = (): Promise<boolean> => menu.evaluate((element) => element.contains(document.activeElement));
  await expect.poll(holdsFocus).toBe(true);
  // More steps than the menu has stops: the focus comes round and never leaves.
  for (let step = 0; step < 16; step += 1) {
    await page.keyboard.press('Tab');
    expect(await holdsFocus(), `stop ${step}`).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(opener).toBeFocused();

  await opener.click();
  await menu.getByRole('link', { name: 'Domains' }).click();
  await expect(page).toHaveURL('/domains');
  await expect(menu).toBeHidden();
  await expect(bar.getByText('Domains')).toBeVisible();

  await opener.click();
  await expect(menu).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/settings');
  await expect(menu).toBeHidden();

  // A tap on the place where one is already closes it, too.
  await opener.click();
  await menu.getByRole('link', { name: 'Settings' }).click();
  await expect(menu).toBeHidden();
}

async function seeAccountMenu(page: Page, area: Locator): Promise<void> {
  await area.getByRole('button', { name: /account/i }).click();
  const menu = page.getByRole('menu');
  await expect(menu.getByText('Tools', { exact: true })).toBeVisible();
  const tools = (GROUPS[3]?.[1] ?? []).map(([name]) => name.replace(/ New$/, ''));
  for (const entry of [...ACCOUNT_MENU, ...tools]) {
    await expect(menu.getByRole('menuitem', { name: entry }), entry).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
}

test('the sidebar has four groups and a footer, the slide-in three groups and the focus, and both the account menu', async ({
  page,
  context,
  app,
  complaints,
}) => {
  await signInFor(context, app.url);
  await page.goto('/settings');
  await test.step('the sidebar: its entries in order with badges', () => seeSidebar(page));
  await test.step('the account menu on the sidebar', () => seeAccountMenu(page, page.getByRole('complementary')));
  await test.step('the slide-in: it closes on Escape, on a tap and on a new route', () => seeSlideIn(page));
  expect(complaints.all, 'until the session ends').toEqual([]);

  complaints.allow(ASKED_TOO_LATE);
  await seeAccountMenu(page, page.getByRole('banner'));

  await page
    .getByRole('banner')
    .getByRole('button', { name: /account/i })
    .click();
  await page.getByRole('menuitem', { name: 'Help & Documentation' }).click();
  await expect(page).toHaveURL('/help');
  await page
    .getByRole('banner')
    .getByRole('button', { name: /account/i })
    .click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
});

test('the top bar leads home, to the dashboard and to About, and visitors to Login and Register', async ({
  page,
  context,
  app,
}) => {
  await seenBefore(context, app.url);
  await page.goto('/about');
  const bar = page.getByRole('banner');
  const links: readonly (readonly [string, string])[] = [
    ['Home', '/'],
    ['Dashboard', '/dashboard'],
    ['About', '/about'],
    ['Login', '/login'],
    ['Register', '/register'],
  ];
  for (const path of ['/', '/about', '/login', '/register', '/auth']) {
    await follow(page, path);
    await expect(bar.getByRole('link', { name: 'Fairlead' })).toHaveAttribute('href', '/');
    for (const [name, href] of links) {
      await expect(bar.getByRole('link', { name, exact: true }), `${name} on ${path}`).toHaveAttribute('href', href);
    }
    await expect(page.getByRole('complementary'), path).toHaveCount(0);
  }
  await follow(page, '/about');
  await expect(bar.getByRole('link', { name: 'About', exact: true })).toHaveAttribute('aria-current', 'page');
  await expect(bar.getByRole('link', { name: 'Home', exact: true })).not.toHaveAttribute('aria-current', 'page');
  await bar.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page).toHaveURL('/');
  await expect(bar.getByRole('link', { name: 'Home', exact: true })).toHaveAttribute('aria-current', 'page');

  // On a small screen the button opens what does not fit.
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(bar.getByRole('link', { name: 'About', exact: true })).toBeHidden();
  await bar.getByRole('button', { name: /menu/i }).click();
  const menu = page.getByRole('dialog');
  for (const [name, href] of links) {
    await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('href', href);
  }
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await bar.getByRole('button', { name: /menu/i }).click();
  await menu.getByRole('link', { name: 'About', exact: true }).click();
  await expect(page).toHaveURL('/about');
  await expect(menu).toBeHidden();

  // Login and Register are for visitors.
  await page.setViewportSize({ width: 1280, height: 800 });
  await enrol(context.request);
  // A browser that was refused a moment ago would not ask again at once who it is.
  await page.evaluate(() => localStorage.clear());
  await page.goto('/about');
  await expect(bar.getByRole('link', { name: 'Dashboard', exact: true })).toBeVisible();
  await expect(bar.getByRole('link', { name: 'Login', exact: true })).toHaveCount(0);
  await expect(bar.getByRole('link', { name: 'Register', exact: true })).toHaveCount(0);
});

test('a screen without a placeholder of its own waits under a spinner that says so', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  const letGo = await holdScreens(page, '/login');
  await page.goto('/about', { waitUntil: 'commit' });
  await expect(page.getByRole('main').getByText('Loading application...')).toBeVisible();
  await letGo();
  await page.unrouteAll();
  await page.goto('/about');
  await expect(page.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
  await expect(page.getByText('Loading application...')).toHaveCount(0);
});

/** Expects the page that appears when a screen breaks, and when the app cannot start. */
async function seeCriticalError(page: Page, after: string): Promise<void> {
  await expect.soft(page.getByText('Critical Error', { exact: true }), after).toBeVisible();
  await expect.soft(page.getByText('The application could not initialize correctly.'), after).toBeVisible();
  await expect.soft(page.getByRole('button', { name: 'Reload Application' }), after).toBeVisible();
}

test('a screen that breaks leaves its error, folded details and a way to reload', async ({
  page,
  context,
  app,
  complaints,
}) => {
  complaints.allow(/./);
  await seenBefore(context, app.url);
  await page.goto('/about');
  await expect(page.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
  await page.route('**/*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("The keel is gone");' }),
  );
  await follow(page, '/faq');
  await expect(page.getByText('Something went wrong')).toBeVisible();
  await expect(page.getByText('The keel is gone').first()).toBeVisible();
  const details = page.locator('details');
  await expect(details).not.toHaveAttribute('open');
  await details.locator('summary').click();
  await expect(details).toHaveAttribute('open');
  await expect(details.getByText(/The keel is gone/).first()).toBeVisible();

  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload Page' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Frequently Asked Questions' })).toBeVisible();
});

/** Returns the modules that the page itself names, in its order; a plain script beside them starts nothing. */
async function namedModules(page: Page): Promise<string[]> {
  const html = await (await page.request.get('/')).text();
  const tags = html.match(/<(?:script|link)[^>]*>/g) ?? [];
  return tags
    .filter((tag) => /type="module"|rel="modulepreload"/.test(tag))
    .map((tag) => /(?:src|href)="([^"]+)"/.exec(tag)?.[1] ?? '');
}

test('a script that does not arrive, or that is broken, leads to the panel', async ({
  page,
  context,
  app,
  complaints,
}) => {
  complaints.allow(/./);
  await seenBefore(context, app.url);
  const scripts = await namedModules(page);
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) {
    await test.step(`${script} does not arrive`, async () => {
      await page.route(`**${script}`, (route) => route.abort());
      await page.goto('/about');
      await seeCriticalError(page, `${script} does not arrive`);
      await page.unrouteAll();
    });
    await test.step(`${script} is broken`, async () => {
      await page.route(`**${script}`, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken");' }),
      );
      await page.goto('/about');
      await seeCriticalError(page, `${script} is broken`);
      await page.unrouteAll();
    });
  }
  await page.getByRole('button', { name: 'Reload Application' }).click();
  await expect(page.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
});

test('a storage that throws leads to the panel', async ({ page, complaints }) => {
  complaints.allow(/./);
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    }
  });
  await page.goto('/about');
  await seeCriticalError(page, 'a storage that throws');
});

/** APIs that an old or locked-down browser may lack. */
const BROWSER_APIS = ['localStorage', 'sessionStorage', 'fetch', 'matchMedia'];

test('an API that is not there leads to the panel or is done without, never to an empty page', async ({
  context,
  app,
  complaints,
}) => {
  complaints.allow(/./);
  await seenBefore(context, app.url);
  for (const name of BROWSER_APIS) {
    await test.step(name, async () => {
      const page = await context.newPage();
      await page.addInitScript((api) => Object.defineProperty(window, api, { value: undefined }), name);
      await page.goto('/about');
      if (name === 'localStorage') await seeCriticalError(page, name);
      const panel = page.getByText('The application could not initialize correctly.');
      await expect(panel.or(page.getByRole('heading', { name: 'Our Mission' })), name).toBeVisible();
      await page.close();
    });
  }
});

test('a server that does not answer leaves no page empty', async ({ page, context, app, complaints }) => {
  complaints.allow(/ERR_FAILED/);
  await seenBefore(context, app.url);
  await page.route('**/api/**', (route) => route.abort());
  await page.goto('/about');
  await expect(page.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
  await page.goto('/settings');
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
});
