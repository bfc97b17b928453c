import { expect, test, vi } from 'vitest';
import { lazyComponent } from '../../src/lib/lazy-component.tsx';
import { type AppRoute, routes } from '../../src/routes.tsx';
import { APP, arrival, PAID, ROUTES, type Route, routesOf, rowOf, type Visitor } from '../specification/route-table.ts';
import { ada, deploymentOf, releaseDetailOf, shownAt } from '../support/screen-fixtures.ts';
import { arrivesAt, follow, press, showApp, shown, textsOf } from '../support/shown-app.tsx';

const TRIAL = {
  status: 'trialing',
  plan: 'PRO',
  startedAt: shownAt,
  endsAt: new Date('2100-01-01'),
  renews: false,
  cancelAtEnd: false,
  nextPlan: null,
};
const NAME = 'Harbour lights';
const OF_DEPLOYMENT = routesOf('0123456789abcdefghij', NAME);
const EVERYWHERE = [...ROUTES, ...OF_DEPLOYMENT];

/** Every kind of visitor that the route table tells apart. */
const VISITORS: readonly Visitor[] = [
  { account: true, subscribed: true, disclaimer: true },
  { account: false, subscribed: false, disclaimer: false },
  { account: false, subscribed: false, disclaimer: true },
  { account: true, subscribed: false, disclaimer: false },
  { account: true, subscribed: false, disclaimer: true },
  { account: true, subscribed: true, disclaimer: false },
];

/**
 * A visitor who may see all screens sees each of them. For the others one route of each kind shows where they are led,
 * since routes.test.ts checks that each is of its kind.
 */
const SOME = [
  ...['/', '/about', '/login', '/disclaimer', '/beta-welcome', '/subscription/success', '/pricing', '/no-such-page'],
  ...['/dashboard', '/deployments', '/deploy/vercel', '/payment-success'],
];

const deployment = deploymentOf({
  id: '0123456789abcdefghij',
  name: NAME,
  slug: 'harbour',
  state: 'draft',
  currentRelease: null,
  latestRelease: null,
});

function showTo({ account, subscribed, disclaimer }: Visitor, path = '/about') {
  return showApp(path, {
    user: account ? { ...ada, disclaimerAccepted: disclaimer } : null,
    // Signed in, the flag of the browser alone opens nothing: the account itself must have accepted.
    hasSeenDisclaimer: disclaimer || account,
    answers: {
      ...(subscribed && { 'subscription.get': () => TRIAL }),
      'deployments.get': () => deployment,
      'releases.get': () => releaseDetailOf({ number: 1, deploymentId: deployment.id, deploymentName: NAME }),
    },
  });
}

const EVERYTHING = { account: true, subscribed: true, disclaimer: true };

/** The facts of a place: its address, its name, its headings, its layout and the highlighted entries. */
function place() {
  const isPlain = ['Home', 'Dashboard', 'About'].every((entry) => textsOf('header nav a').includes(entry));
  return {
    address: location.pathname + location.search,
    title: document.title,
    headings: textsOf('h1'),
    layout: textsOf('aside span').includes('Fast domain deployment') ? 'sidebar' : isPlain ? 'plain' : 'neither',
    // A badge beside an entry is no part of its name.
    current: textsOf('nav a[aria-current="page"], header a[aria-current="page"]').map((entry) =>
      entry.replace(/(New|Beta)$/, ''),
    ),
  };
}

/** Waits until the screen of `target` stands there as its row says. */
async function expectPlace(target: string, step: string): Promise<void> {
  const row = rowOf(target, EVERYWHERE) ?? expect.fail(`The table has no row for ${target}`);
  const { title, layout, current } = row;
  await vi.waitFor(
    () => {
      const seen = place();
      const isNamed = typeof title === 'string' ? title : expect.stringMatching(title);
      expect({ ...seen, title: seen.title.replace(/ · Fairlead$/, '') }, step).toMatchObject({
        address: target,
        title: isNamed,
        layout,
      });
      expect(seen.title, step).toMatch(/ · Fairlead$/);
      expect(seen.headings, `${step}: one heading of the first level`).toHaveLength(1);
      if (layout === 'sidebar') expect(`${seen.headings[0]} · Fairlead`, step).toBe(seen.title);
      if (current === 'any') expect(seen.current.length, step).toBeLessThan(2);
      else expect(seen.current, step).toEqual(current === null ? [] : [current]);
    },
    { interval: 5 },
  );
}

test.each(VISITORS)(
  'the route table leads as written: account $account, subscribed $subscribed, disclaimer $disclaimer',
  async (visitor) => {
    await using _app = showTo(visitor);
    const seesAll = visitor.subscribed && visitor.disclaimer;
    for (const route of EVERYWHERE.filter(({ path }) => seesAll || SOME.includes(path))) {
      follow(route.path);
      await expectPlace(arrival(route, visitor), route.path);
    }
  },
);

test('a slash at the end changes nothing', async () => {
  await using _app = showTo(EVERYTHING, '/about/');
  for (const path of ['/dashboard', '/deploy/netlify', '/deployment-setup/vercel', '/subscription/pricing', '/about']) {
    const { title, current } = rowOf(path) as Route;
    follow(`${path}/`);
    await vi.waitFor(() => expect(document.title.replace(' · Fairlead', '')).toMatch(title), { interval: 5 });
    expect(location.pathname).toBe(`${path}/`);
    if (typeof current === 'string') expect(place().current).toEqual([current]);
  }
});

test('exempt is what the list says: whole paths, and what starts with /auth or /subscription/', async () => {
  await using _app = showTo({ account: false, subscribed: false, disclaimer: false }, '/login/');
  await shown('[role="tab"][aria-selected="true"]', 'Login');
  for (const path of ['/authors', '/auth/none', '/subscription/none']) {
    follow(path);
    await shown('h1', '404 Page Not Found');
    expect(location.pathname).toBe(path);
  }
  for (const path of ['/aboutus', '/subscription', '/login-help', '/disclaimers']) {
    follow(path);
    await arrivesAt('/disclaimer');
  }
});

test('a redirect leads to a path of the app or to the dashboard', async () => {
  await using _app = showTo(EVERYTHING);
  const led = async (path: string, redirect: string, to: string): Promise<void> => {
    follow('/about');
    follow(`${path}?redirect=${encodeURIComponent(redirect)}`);
    await arrivesAt(to);
  };
  // More of them are in safe-redirect.test.ts.
  for (const foreign of [
    'https://evil.example',
    '/\\evil.example',
    'javascript:document.title="evil"',
    '/..//evil.example',
  ])
    await led('/auth', foreign, '/dashboard');
  await led('/login', '/domains?state=active', '/domains?state=active');
});

test('login and register are one screen, and its tabs replace the address', async () => {
  await using _app = showTo({ account: false, subscribed: false, disclaimer: true });
  follow('/login');
  await shown('[role="tab"][aria-selected="true"]', 'Login');
  const pushed = vi.spyOn(history, 'pushState');
  await press('[role="tab"]', 'Register');
  await arrivesAt('/register');
  await shown('[role="tab"][aria-selected="true"]', 'Register');
  await press('[role="tab"]', 'Login');
  await arrivesAt('/login');
  expect(pushed).not.toHaveBeenCalled();
  follow('/register');
  await shown('[role="tab"][aria-selected="true"]', 'Register');
});

test('/deploy/{platform} is the page of /deployment-setup/{platform}, and /deploy/netlify its own', async () => {
  await using _app = showTo(EVERYTHING);
  const wordsOf = async (path: string): Promise<string> => {
    follow(path);
    await expectPlace(path, path);
    await vi.waitFor(() => expect(textsOf('[data-loading], [aria-busy="true"]')).toEqual([]), { interval: 5 });
    return textsOf('main').join();
  };
  for (const platform of ['vercel', 'github-pages', 'render', 'heroku', 'replit'])
    expect(await wordsOf(`/deploy/${platform}`)).toBe(await wordsOf(`/deployment-setup/${platform}`));
  expect(await wordsOf('/deploy/netlify')).not.toBe(await wordsOf('/deployment-setup/netlify'));
});

/** Lets no screen arrive while the work lasts. */
async function withoutScreens(work: () => Promise<void>): Promise<void> {
  const screens = Object.values(routes).map((route) => [route, route.screen] as const);
  for (const [route] of screens) route.screen = lazyComponent<object>(() => new Promise(() => {}));
  try {
    await work();
  } finally {
    for (const [route, screen] of screens) (route satisfies AppRoute).screen = screen;
  }
}

test('while its screen is fetched, each path has the placeholder of its kind', async () => {
  await withoutScreens(async () => {
    await using _app = showTo(EVERYTHING);
    await shown('main [role="status"]', 'Loading application...');
    const shapes = new Map<string, string>();
    for (const { path, title, skeleton } of [...APP, ...PAID]) {
      follow(path);
      // Tags and their order: two placeholders of one kind are alike, whatever they are made of.
      const shape = await vi.waitFor(
        () => {
          const placeholder = document.querySelector('main [data-loading]') ?? expect.fail(path);
          expect(document.title).toMatch(title);
          return placeholder.innerHTML.replace(/<svg.*?<\/svg>/gs, '').replace(/ [\w-]+="[^"]*"/g, '');
        },
        { interval: 5 },
      );
      if (skeleton === 'spinner') expect(shape, path).toContain('Loading application...');
      expect(shapes.get(skeleton) ?? shape, path).toBe(shape);
      shapes.set(skeleton, shape);
    }
    expect(new Set(shapes.values()).size).toBe(4);
  });
});
