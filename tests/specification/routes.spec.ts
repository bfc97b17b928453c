import { expect, refusedCall, test } from '../browser/fixtures.ts';
import { IS_FULL } from '../support/size.ts';
import { call, enrol, type Person, seenBefore } from './accounts.ts';
import { holdScreens } from './held-network.ts';
import { compare, follow, look, rowAt } from './navigation.ts';
import { APP, arrival, PAID, ROUTES, type Route, routesOf, type Skeleton, type Visitor } from './route-table.ts';

/** Every kind of visitor that the route table tells apart. */
const VISITORS: readonly Visitor[] = [
  { account: false, subscribed: false, disclaimer: false },
  { account: false, subscribed: false, disclaimer: true },
  // The gate of the disclaimer comes before that of the plan: who has one and who has none are led alike.
  ...(IS_FULL ? [{ account: true, subscribed: false, disclaimer: false }] : []),
  { account: true, subscribed: false, disclaimer: true },
  { account: true, subscribed: true, disclaimer: false },
  { account: true, subscribed: true, disclaimer: true },
];

/** Loaded anew by each of them, those first that wait until it is known who is there; the others are reached as by a link. */
const LOADED = ['/payment-success', '/dashboard', '/'];

/**
 * A visitor who may see all screens sees each of them. For other visitors one route of each kind shows where they are
 * led, since tests/src/routes.test.ts checks that each route is of its kind.
 */
function walked({ subscribed, disclaimer }: Visitor): readonly Route[] {
  if (IS_FULL || (subscribed && disclaimer)) return ROUTES;
  return [
    ...['/', '/about', '/login', '/disclaimer', '/beta-welcome', '/subscription/success', '/pricing', '/no-such-page'],
    ...['/dashboard', '/deployments', '/deploy/vercel', '/payment-success'],
  ].map((path) => rowAt(path, ROUTES));
}

function nameOf({ account, subscribed, disclaimer }: Visitor): string {
  const who = account ? `signed in ${subscribed ? 'with' : 'without'} a subscription` : 'signed out';
  return `${who}, ${disclaimer ? 'disclaimer seen' : 'disclaimer not seen'}`;
}

for (const visitor of VISITORS) {
  test(`the route table: ${nameOf(visitor)}`, async ({ page, context, app }) => {
    if (visitor.account) {
      await enrol(context.request, { accepted: visitor.disclaimer, subscribed: visitor.subscribed });
    }
    // Signed in, the flag of the browser alone opens nothing: the account itself must have accepted.
    if (visitor.disclaimer || visitor.account) await seenBefore(context, app.url);

    const arrive = (route: Route, go: (path: string) => Promise<unknown>): Promise<void> =>
      test.step(route.path, async () => {
        const target = arrival(route, visitor);
        const row = rowAt(target, ROUTES);
        await go(route.path);
        compare(await look(page, target, row), target, row, route.path);
      });
    for (const path of LOADED) await arrive(rowAt(path, ROUTES), (address) => page.goto(address));
    for (const route of walked(visitor)) await arrive(route, (address) => follow(page, address));
  });
}

/** Longer than a small screen is wide. */
const LONG_NAME = 'Harbour lights, the breakwater and the whole quay';

/**
 * The bar and the document get their title from one place. Outside full counts it is looked at where the title is a
 * person's own, and each screen's width by tests/browser/accessible-routes.spec.ts.
 */
test('the pages of one deployment, and the titles in the mobile bar', async ({ page, context, app, complaints }) => {
  // It has no release yet.
  complaints.allow(refusedCall(404, 'releases.get'));
  const person = await enrol(context.request, { accepted: true, subscribed: true });
  const { data } = await call(context.request, person, 'deployments.create', {
    name: LONG_NAME,
    platform: 'built-in',
  });
  await seenBefore(context, app.url);
  const pages = routesOf(String(data.id), LONG_NAME);
  await page.goto('/dashboard');
  for (const route of pages) {
    await test.step(route.path, async () => {
      await follow(page, route.path);
      compare(await look(page, route.path, route), route.path, route, route.path);
    });
  }

  await page.setViewportSize({ width: 360, height: 740 });
  const others = ROUTES.filter(({ layout }) => layout === 'sidebar');
  for (const route of IS_FULL ? [...others, ...pages] : pages) {
    await test.step(`${route.path} at 360 px`, async () => {
      await follow(page, route.path);
      const { title } = await look(page, route.path, route);
      await expect
        .soft(page.getByRole('banner'), `${route.path}: the bar shows the title`)
        .toContainText(title.replace(' · Fairlead', ''));
      await expect.soft
        .poll(
          () => page.evaluate(() => document.documentElement.scrollWidth),
          `${route.path}: nothing is wider than the screen`,
        )
        .toBeLessThanOrEqual(360);
    });
  }
});

/** Tags and their order: two placeholders of one kind are alike, whatever they are made of. */
function shapeOf([placeholder]: Element[]): string {
  if (placeholder === undefined) return 'nothing';
  if ((placeholder.textContent ?? '').includes('Loading application...')) return 'spinner';
  return placeholder.outerHTML.replace(/<svg.*?<\/svg>/gs, '').replace(/<(\/?\w+)[^>]*>[^<]*/g, '<$1>');
}

test('while its screen is fetched, each path of the app has the placeholder of its kind', async ({
  page,
  context,
  app,
}) => {
  await enrol(context.request, { accepted: true, subscribed: true });
  await seenBefore(context, app.url);
  await holdScreens(page, '/pricing');
  const shapes = new Map<string, Skeleton>([['spinner', 'spinner']]);
  // One of each kind; of which kind each route is, is held by tests/src/routes.test.ts.
  const kinds = ['/dashboard', '/deployments', '/new-deployment', '/domains', '/account', '/analytics'];
  for (const route of [...APP, ...PAID].filter(({ path }) => IS_FULL || kinds.includes(path))) {
    await test.step(route.path, async () => {
      await follow(page, route.path);
      const kindShown = async (): Promise<Skeleton | string> => {
        const shape = await page
          .getByRole('main')
          .getByRole('status')
          .filter({ visible: true, hasText: /^Loading/ })
          .evaluateAll(shapeOf);
        // The first of a kind says how its kind looks.
        const isFirst = shape !== 'nothing' && !shapes.has(shape);
        if (isFirst && ![...shapes.values()].includes(route.skeleton)) shapes.set(shape, route.skeleton);
        return shapes.get(shape) ?? shape;
      };
      // The placeholder of the path before may stand a moment longer.
      await expect.soft.poll(kindShown, route.path).toBe(route.skeleton);
    });
  }
});

test('login and register are one screen, and its tabs replace the address', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  await page.goto('/about');
  await follow(page, '/login');
  await expect(page.getByRole('tab', { name: 'Login', selected: true })).toBeVisible();
  const entries = await page.evaluate(() => history.length);
  await page.getByRole('tab', { name: 'Register' }).click();
  await expect(page).toHaveURL('/register');
  await expect(page.getByRole('tab', { name: 'Register', selected: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Login' }).click();
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => history.length)).toBe(entries);
  await page.goBack();
  await expect(page).toHaveURL('/about');
  await follow(page, '/register');
  await expect(page.getByRole('tab', { name: 'Register', selected: true })).toBeVisible();
});

test('/deploy/{platform} is the page of /deployment-setup/{platform}, and /deploy/netlify its own', async ({
  page,
  context,
  app,
}) => {
  await enrol(context.request, { accepted: true, subscribed: true });
  await seenBefore(context, app.url);
  await page.goto('/dashboard');
  const wordsOf = async (path: string): Promise<string> => {
    const row = rowAt(path, ROUTES);
    await follow(page, path);
    await look(page, path, row);
    await expect(page.getByRole('main')).not.toHaveText('');
    return page.getByRole('main').innerText();
  };
  for (const platform of IS_FULL ? ['vercel', 'github-pages', 'render', 'heroku', 'replit'] : ['vercel', 'replit']) {
    await expect
      .soft(async () =>
        expect(await wordsOf(`/deploy/${platform}`)).toBe(await wordsOf(`/deployment-setup/${platform}`)),
      )
      .toPass({ timeout: 30_000 });
  }
  expect(await wordsOf('/deploy/netlify')).not.toBe(await wordsOf('/deployment-setup/netlify'));
});

/** Values that a link from elsewhere may carry; none is a path of the app. More of them are in tests/src/safe-redirect.test.ts. */
const FOREIGN = ['https://evil.example', '/\\evil.example', 'javascript:document.title="evil"'];

test('a redirect leads to a path of the app or to the dashboard', async ({ page, context, app, complaints }) => {
  // The list that the redirect leads to may still be on its way when the session is taken from the browser.
  complaints.allow(refusedCall(401, '/api/trpc/'));
  const person: Person = await enrol(context.request, { accepted: true, subscribed: false });
  await seenBefore(context, app.url);
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== app.url) elsewhere.push(request.url());
  });
  await page.goto('/about');
  for (const target of FOREIGN) {
    await test.step(JSON.stringify(target), async () => {
      await follow(page, '/about');
      await follow(page, `/auth?redirect=${encodeURIComponent(target)}`);
      await expect.soft(page, target).toHaveURL(`${app.url}/dashboard`);
    });
  }
  // Dots that climb above the root stay in the app, whatever they then name.
  await follow(page, `/auth?redirect=${encodeURIComponent('/..//evil.example')}`);
  await expect(page).not.toHaveURL(/\/auth/);
  expect(new URL(page.url()).origin).toBe(app.url);
  await follow(page, `/login?redirect=${encodeURIComponent('/domains?state=active')}`);
  await expect(page).toHaveURL('/domains?state=active');

  // The same for who signs in there.
  await context.clearCookies({ name: /^(?!disclaimerSeen)/ });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.goto(`/auth?redirect=${encodeURIComponent('//evil.example')}`);
  // An empty browser is taken for a newcomer's.
  await page.getByRole('tab', { name: 'Login' }).click();
  await page.getByLabel('Username').fill(person.username);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page).toHaveURL(`${app.url}/dashboard`);
  expect(elsewhere).toEqual([]);
});

test('a slash at the end changes nothing', async ({ page, context, app }) => {
  await enrol(context.request, { accepted: true, subscribed: true });
  await seenBefore(context, app.url);
  await page.goto('/about/');
  for (const path of ['/about', '/dashboard', '/deploy/netlify', '/deployment-setup/vercel', '/subscription/pricing']) {
    const row = rowAt(path, ROUTES);
    await follow(page, `${path}/`);
    const place = await look(page, `${path}/`, row);
    compare({ ...place, address: place.address.replace(/\/$/, '') }, path, row, `${path}/`);
  }
});

test('exempt is what the list says: whole paths, and what starts with /auth or /subscription/', async ({ page }) => {
  await page.goto('/login/');
  await expect(page.getByRole('tab', { name: 'Login', selected: true })).toBeVisible();
  for (const path of ['/authors', '/auth/none', '/subscription/none']) {
    await follow(page, path);
    await expect(page.getByRole('heading', { level: 1, name: '404 Page Not Found' }), path).toBeVisible();
    await expect(page, path).toHaveURL(path);
  }
  for (const path of ['/aboutus', '/subscription', '/login-help', '/disclaimers']) {
    await follow(page, path);
    await expect(page, path).toHaveURL('/disclaimer');
  }
});
