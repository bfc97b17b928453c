import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';

/** Every route of the app as a pattern. */
export const paths = {
  home: '/',
  about: '/about',
  login: '/login',
  register: '/register',
  auth: '/auth',
  authReset: '/auth/reset',
  authConfirm: '/auth/confirm',
  authStopEmailChange: '/auth/stop-email-change',
  authDeleteAccount: '/auth/delete-account',
  disclaimer: '/disclaimer',
  betaWelcome: '/beta-welcome',
  pricing: '/pricing',
  subscriptionPricing: '/subscription/pricing',
  subscriptionSuccess: '/subscription/success',
  subscriptionCancel: '/subscription/cancel',
  subscriptionTerms: '/subscription/terms',
  subscriptionPrivacy: '/subscription/privacy',
  subscriptionRefunds: '/subscription/refunds',
  testCheckout: '/checkout/test/:paymentId',
  websocketDemo: '/websocket-demo',
  faq: '/faq',
  help: '/help',
  dashboard: '/dashboard',
  analytics: '/analytics',
  deployments: '/deployments',
  deployment: '/deployments/:deploymentId',
  release: '/deployments/:deploymentId/releases/:number',
  deploymentHistory: '/deployment-history',
  newDeployment: '/new-deployment',
  deploymentSetup: '/deployment-setup/:platform',
  deployNetlify: '/deploy/netlify',
  deploy: '/deploy/:platform',
  quickDeploy: '/quick-deploy',
  guidedDeployment: '/guided-deployment',
  testSimulation: '/test-simulation',
  unifiedDeployment: '/unified-deployment',
  diagnostics: '/diagnostics',
  sharedReport: '/shared-report',
  domains: '/domains',
  domain: '/domains/:domainId',
  certificates: '/certificates',
  settings: '/settings',
  licenseManagement: '/license-management',
  account: '/account',
  receipt: '/receipts/:paymentId',
  deploymentEditor: '/deployment-editor/:deploymentId',
  paymentSuccess: '/payment-success',
} as const;

export type PathName = keyof typeof paths;

/** Addresses of routes that take a value. */
export const href = {
  deployment: (deploymentId: string) => `/deployments/${encodeURIComponent(deploymentId)}`,
  release: (deploymentId: string, number: number) =>
    `/deployments/${encodeURIComponent(deploymentId)}/releases/${number}`,
  diagnostics: (deploymentId: string) => `${paths.diagnostics}?deployment=${encodeURIComponent(deploymentId)}`,
  domain: (domainId: string) => `/domains/${encodeURIComponent(domainId)}`,
  /** Names the payment that the person comes from; the screen asks the server for its result. */
  subscriptionSuccess: (paymentId: string) =>
    `${paths.subscriptionSuccess}?session_id=${encodeURIComponent(paymentId)}`,
  receipt: (paymentId: string) => `/receipts/${encodeURIComponent(paymentId)}`,
  deploymentSetup: (platform: PlatformId) => `/deployment-setup/${platform}`,
  deploy: (platform: PlatformId) => `/deploy/${platform}`,
  /** Opens the live files, or those of one release. */
  deploymentEditor: (deploymentId: string, release?: number) =>
    `/deployment-editor/${encodeURIComponent(deploymentId)}${release === undefined ? '' : `?release=${release}`}`,
  /** The sign-in screen, which leads back to `redirect` (a path with its query). */
  auth: (redirect?: string) => withRedirect(paths.auth, redirect),
  login: (redirect?: string) => withRedirect(paths.login, redirect),
  register: (redirect?: string) => withRedirect(paths.register, redirect),
  /** The plans, which lead on to `redirect` once one is chosen. */
  plans: (redirect?: string) => withRedirect(paths.subscriptionPricing, redirect),
};

function withRedirect(path: string, redirect: string | undefined): string {
  return redirect === undefined ? path : `${path}?redirect=${encodeURIComponent(redirect)}`;
}

/** Returns whether `pathname` matches `pattern`; a trailing slash does not matter. */
export function matchesPath(pattern: string, pathname: string): boolean {
  const wanted = segments(pattern);
  const given = segments(pathname);
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

/** Returns whether the app itself has a screen at `pathname`. */
export function isAppPath(pathname: string): boolean {
  return Object.values(paths).some((pattern) => matchesPath(pattern, pathname));
}

/** Returns whether the path is one of the three addresses of the sign-in screen. */
export function isAuthScreen(pathname: string): boolean {
  return [paths.auth, paths.login, paths.register].some((pattern) => matchesPath(pattern, pathname));
}

function segments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
