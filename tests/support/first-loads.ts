/**
 * Budgets of the JavaScript of a first load: performance facts, section 8. What it does not name has that of its kind:
 * without data as the public screens, with data as the app.
 */
const PUBLIC_KB = 100;
const SIGN_IN_KB = 104;
const APP_KB = 140;
/** Not named there, and more than the login: two forms and the client of the API. The bound is close to what it weighs. */
const RESET_KB = 106;

/** What stands around every screen that asks for data, and around every screen of the app, before its first paint. */
const DATA = ['api/data-provider.tsx', 'realtime/provider.tsx'];
const SIDEBAR = 'layouts/sidebar.tsx';
const APP = [SIDEBAR, 'layouts/account-menu.tsx', ...DATA];

export type FirstLoad = { route: string; roots: readonly string[]; budgetKb: number };

const open = (route: string, screen: string, ...around: string[]): FirstLoad => ({
  route,
  roots: [...around, `screens/${screen}.tsx`],
  budgetKb: PUBLIC_KB,
});
const app = (route: string, screen: string, ...around: string[]): FirstLoad => ({
  ...open(route, screen, ...APP, ...around),
  budgetKb: APP_KB,
});

/** Every screen with the modules that its first load needs, as src/routes.tsx and src/layouts/shell.tsx put them together. */
export const FIRST_LOADS: readonly FirstLoad[] = [
  open('/', 'home'),
  open('/disclaimer', 'disclaimer'),
  open('/beta-welcome', 'beta-welcome'),
  open('/about', 'about'),
  open('/faq', 'faq', SIDEBAR),
  open('/help', 'help', SIDEBAR),
  open('/pricing', 'pricing', SIDEBAR),
  open('an address that is none', 'not-found', SIDEBAR),
  open('/subscription/pricing', 'subscription/pricing'),
  open('/subscription/cancel', 'subscription/cancel'),
  { ...open('/login and /register', 'auth'), budgetKb: SIGN_IN_KB },
  { ...open('/auth/reset', 'auth/reset'), budgetKb: RESET_KB },
  open('/auth/confirm', 'auth/confirm'),
  { ...open('/subscription/success', 'subscription/success', ...DATA), budgetKb: APP_KB },
  { ...open('/websocket-demo', 'websocket-demo', ...DATA), budgetKb: APP_KB },
  app('/dashboard', 'dashboard'),
  app('/analytics', 'analytics'),
  app('/deployments', 'deployments'),
  app('/deployments/{id}', 'deployment'),
  app('/deployments/{id}/releases/{n}', 'release'),
  app('/deployment-history', 'deployment-history'),
  app('/deployment-editor/{id}', 'deployment-editor'),
  app('/new-deployment', 'new-deployment'),
  app('/deployment-setup/{platform} and /deploy/{platform}', 'deployment-setup'),
  app('/deploy/netlify', 'deploy/netlify'),
  app('/quick-deploy', 'quick-deploy'),
  app('/guided-deployment', 'guided-deployment'),
  app('/unified-deployment', 'unified-deployment'),
  app('/test-simulation', 'test-simulation'),
  app('/diagnostics', 'diagnostics'),
  app('/domains', 'domains'),
  app('/certificates', 'certificates'),
  app('/settings', 'settings'),
  app('/account', 'account'),
  app('/license-management', 'license-management'),
  app('/payment-success', 'payment-success', 'layouts/subscribed-only.tsx'),
];
