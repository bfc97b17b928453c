/** The route table of the app, written down apart from its code. An id in an address is one that exists. */
export type Layout = 'plain' | 'sidebar';
export type Skeleton = 'dashboard' | 'table' | 'form' | 'spinner';

export type Route = {
  path: string;
  /** `auth` is the login and register screen: public, and left at once by who is signed in. */
  access: 'public' | 'auth' | 'app' | 'subscription';
  /** The title before ` · Fairlead`. A pattern if the specification names no screen for that address. */
  title: string | RegExp;
  layout: Layout;
  /** Shown while its screen is being fetched. */
  skeleton: Skeleton;
  /** The entry of the navigation with `aria-current="page"`; `any` where the specification leaves it open. */
  current: string | null | 'any';
  /** Reached without accepting the disclaimer. */
  exempt?: true;
};

const plain = (path: string, title: string | RegExp, more: Partial<Route> = {}): Route => ({
  path,
  access: 'public',
  title,
  layout: 'plain',
  skeleton: 'spinner',
  current: null,
  exempt: true,
  ...more,
});

const sidebar = (path: string, title: string | RegExp, more: Partial<Route> = {}): Route => ({
  path,
  access: 'app',
  title,
  layout: 'sidebar',
  skeleton: 'spinner',
  current: typeof title === 'string' ? title : null,
  ...more,
});

const setUp = (path: string, platform: string, more: Partial<Route> = {}): Route =>
  sidebar(path, new RegExp(platform), { current: 'any', ...more });

export const PUBLIC: readonly Route[] = [
  { path: '/', access: 'public', title: 'Home', layout: 'plain', skeleton: 'spinner', current: 'Home' },
  plain('/about', 'About', { current: 'About' }),
  plain('/login', 'Login', { access: 'auth', current: 'any' }),
  plain('/register', 'Register', { access: 'auth', current: 'any' }),
  plain('/auth', 'Login', { access: 'auth', current: 'any' }),
  plain('/auth/reset', /password/i),
  plain('/auth/confirm', /e-?mail|address/i),
  plain('/auth/stop-email-change', /e-?mail|address/i),
  plain('/auth/delete-account', /account/i),
  plain('/disclaimer', 'Beta Program Disclaimer'),
  plain('/beta-welcome', /beta/i),
  plain('/subscription/pricing', /Pricing|Plan/i),
  plain('/subscription/success', /Subscription|Success/i),
  plain('/subscription/cancel', /Subscription|Cancel/i),
  plain('/subscription/terms', 'Terms'),
  plain('/subscription/privacy', 'Privacy'),
  plain('/subscription/refunds', 'Refunds'),
  plain('/websocket-demo', /WebSocket|Realtime/i),
  sidebar('/pricing', 'Pricing & Trial', { access: 'public' }),
  sidebar('/faq', 'Frequently Asked Questions', { access: 'public', current: null }),
  sidebar('/help', 'Help & Documentation', { access: 'public' }),
  sidebar('/no-such-page', '404 Page Not Found', { access: 'public', current: null }),
  sidebar('/deploy/no-such-platform', '404 Page Not Found', { access: 'public', current: null }),
  sidebar('/deployment-setup/no-such-platform', '404 Page Not Found', { access: 'public', current: 'any' }),
];

export const APP: readonly Route[] = [
  sidebar('/dashboard', 'Dashboard', { skeleton: 'dashboard' }),
  sidebar('/analytics', 'Analytics'),
  sidebar('/deployments', 'Active Deployments', { skeleton: 'table' }),
  // Read as one of the deployments: its list is a table of them.
  sidebar('/deployment-history', 'Deployment History'),
  sidebar('/new-deployment', 'New Deployment', { skeleton: 'form' }),
  setUp('/deployment-setup/netlify', 'Netlify', { current: 'New Deployment' }),
  setUp('/deployment-setup/vercel', 'Vercel', { current: 'New Deployment' }),
  setUp('/deployment-setup/github-pages', 'GitHub Pages', { current: 'New Deployment' }),
  setUp('/deployment-setup/render', 'Render', { current: 'New Deployment' }),
  setUp('/deployment-setup/heroku', 'Heroku', { current: 'New Deployment' }),
  setUp('/deployment-setup/replit', 'Replit', { current: 'New Deployment' }),
  sidebar('/deploy/netlify', 'Deploy to Netlify'),
  setUp('/deploy/vercel', 'Vercel'),
  setUp('/deploy/github-pages', 'GitHub Pages'),
  setUp('/deploy/render', 'Render'),
  setUp('/deploy/heroku', 'Heroku'),
  setUp('/deploy/replit', 'Replit'),
  sidebar('/quick-deploy', 'Quick Deploy', { current: null }),
  sidebar('/guided-deployment', 'Guided Deployment'),
  sidebar('/test-simulation', 'Test & Simulation'),
  sidebar('/unified-deployment', 'All-in-One Deployment'),
  sidebar('/diagnostics', 'System Diagnostics'),
  sidebar('/domains', 'Domains', { skeleton: 'table' }),
  sidebar('/certificates', 'SSL Certificates'),
  sidebar('/settings', 'Settings', { skeleton: 'form' }),
  sidebar('/license-management', 'License Management'),
  sidebar('/account', 'Account', { skeleton: 'form', current: null }),
];

export const PAID: readonly Route[] = [
  sidebar('/payment-success', /Payment/, { access: 'subscription', current: null }),
];

export const ROUTES: readonly Route[] = [...PUBLIC, ...APP, ...PAID];

/** Screens with other words alone: outside full counts one stands for its like, of the platforms one of an API and one by hand. */
export const ALIKE =
  /^\/(?:(?:deploy|deployment-setup)\/(?:vercel|github-pages|render|heroku|no-such-platform)|auth|subscription\/(?:privacy|refunds))$/;

/** Returns the routes of one deployment: its page, one of its releases, its editor. */
export function routesOf(id: string, name: string): Route[] {
  const thing = new RegExp(name);
  const current = 'Active Deployments';
  return [
    sidebar(`/deployments/${id}`, thing, { skeleton: 'table', current }),
    sidebar(`/deployments/${id}/releases/1`, /Release 1|not found/i, { skeleton: 'table', current }),
    sidebar(`/deployment-editor/${id}`, new RegExp(`editor|${name}`, 'i'), { current: 'any' }),
  ];
}

export type Visitor = {
  account: boolean;
  subscribed: boolean;
  disclaimer: boolean;
};

/** Returns the path at which this visitor ends up. */
export function arrival(route: Route, { account, subscribed, disclaimer }: Visitor): string {
  if (route.path === '/disclaimer') return disclaimer ? '/beta-welcome' : '/disclaimer';
  if (!disclaimer && route.exempt !== true) return '/disclaimer';
  if (route.access === 'auth' && account) return disclaimer ? '/dashboard' : '/disclaimer';
  const isGuarded = route.access === 'app' || route.access === 'subscription';
  if (isGuarded && !account) return `/auth?redirect=${encodeURIComponent(route.path)}`;
  if (route.access === 'subscription' && !subscribed) return '/subscription/pricing';
  return route.path;
}

/** The row that describes an address of the table, wherever it was arrived at. */
export function rowOf(address: string, rows: readonly Route[] = ROUTES): Route | undefined {
  const path = address.split('?')[0];
  return rows.find((route) => route.path === path);
}
