import type { ComponentType } from 'react';
import { HOSTING_TITLES } from '../routers/schemas/platforms/titles.ts';
import { type LazyComponent, lazyComponent } from './lib/lazy-component.tsx';
import { matchesPath, type PathName, paths } from './lib/paths/paths.ts';

export type Access = 'public' | 'app' | 'subscription';
export type SkeletonKind = 'dashboard' | 'table' | 'form' | 'spinner';

export type AppRoute = {
  path: string;
  screen: LazyComponent<object>;
  access: Access;
  /** The name of the screen; null where the address names something that does not exist. */
  title: string | ((pathname: string) => string | null);
  /** The text for search engines and link previews; pages behind the sign-in, a mail or a payment have none. */
  description?: string;
  layout: 'plain' | 'sidebar';
  skeleton: SkeletonKind;
  /** The entry of the navigation that is marked as current; the route's own path by default. */
  highlights?: string;
  /** True when the screen uses the hooks of tRPC. */
  needsData?: true;
};

const home = page(async () => (await import('./screens/home.tsx')).HomeScreen);
const auth = page(async () => (await import('./screens/auth.tsx')).AuthScreen);
const authReset = page(async () => (await import('./screens/auth/reset.tsx')).AuthResetScreen);
const authConfirm = page(async () => (await import('./screens/auth/confirm.tsx')).AuthConfirmScreen);
const authStopEmailChange = page(
  async () => (await import('./screens/auth/stop-email-change.tsx')).AuthStopEmailChangeScreen,
);
const authDeleteAccount = page(async () => (await import('./screens/auth/delete-account.tsx')).AuthDeleteAccountScreen);
const disclaimer = page(async () => (await import('./screens/disclaimer.tsx')).DisclaimerScreen);
const betaWelcome = page(async () => (await import('./screens/beta-welcome.tsx')).BetaWelcomeScreen);
const pricing = page(async () => (await import('./screens/pricing.tsx')).PricingScreen);
const subscriptionPricing = page(
  async () => (await import('./screens/subscription/pricing.tsx')).SubscriptionPricingScreen,
);
const subscriptionSuccess = page(
  async () => (await import('./screens/subscription/success.tsx')).SubscriptionSuccessScreen,
);
const subscriptionCancel = page(
  async () => (await import('./screens/subscription/cancel.tsx')).SubscriptionCancelScreen,
);
const subscriptionTerms = page(async () => (await import('./screens/subscription/terms.tsx')).SubscriptionTermsScreen);
const subscriptionPrivacy = page(
  async () => (await import('./screens/subscription/privacy.tsx')).SubscriptionPrivacyScreen,
);
const subscriptionRefunds = page(
  async () => (await import('./screens/subscription/refunds.tsx')).SubscriptionRefundsScreen,
);
const testCheckout = page(async () => (await import('./screens/checkout/test.tsx')).TestCheckoutScreen);
const about = page(async () => (await import('./screens/about.tsx')).AboutScreen);
const websocketDemo = page(async () => (await import('./screens/websocket-demo.tsx')).WebsocketDemoScreen);
const faq = page(async () => (await import('./screens/faq.tsx')).FaqScreen);
const help = page(async () => (await import('./screens/help.tsx')).HelpScreen);
const dashboard = page(async () => (await import('./screens/dashboard.tsx')).DashboardScreen);
const deployments = page(async () => (await import('./screens/deployments.tsx')).DeploymentsScreen);
const deployment = page(async () => (await import('./screens/deployment.tsx')).DeploymentScreen);
const release = page(async () => (await import('./screens/release.tsx')).ReleaseScreen);
const deploymentHistory = page(async () => (await import('./screens/deployment-history.tsx')).DeploymentHistoryScreen);
const newDeployment = page(async () => (await import('./screens/new-deployment.tsx')).NewDeploymentScreen);
const quickDeploy = page(async () => (await import('./screens/quick-deploy.tsx')).QuickDeployScreen);
const guidedDeployment = page(async () => (await import('./screens/guided-deployment.tsx')).GuidedDeploymentScreen);
const unifiedDeployment = page(async () => (await import('./screens/unified-deployment.tsx')).UnifiedDeploymentScreen);
const settings = page(async () => (await import('./screens/settings.tsx')).SettingsScreen);
const account = page(async () => (await import('./screens/account.tsx')).AccountScreen);
const receipt = page(async () => (await import('./screens/receipt.tsx')).ReceiptScreen);
const deploymentSetup = page(async () => (await import('./screens/deployment-setup.tsx')).DeploymentSetupScreen);
const deployNetlify = page(async () => (await import('./screens/deploy/netlify.tsx')).DeployNetlifyScreen);
const analytics = page(async () => (await import('./screens/analytics.tsx')).AnalyticsScreen);
const diagnostics = page(async () => (await import('./screens/diagnostics.tsx')).DiagnosticsScreen);
const sharedReport = page(async () => (await import('./screens/shared-report.tsx')).SharedReportScreen);
const testSimulation = page(async () => (await import('./screens/test-simulation.tsx')).TestSimulationScreen);
const domains = page(async () => (await import('./screens/domains.tsx')).DomainsScreen);
const domain = page(async () => (await import('./screens/domain.tsx')).DomainScreen);
const certificates = page(async () => (await import('./screens/certificates.tsx')).CertificatesScreen);
const licenseManagement = page(async () => (await import('./screens/license-management.tsx')).LicenseManagementScreen);
const deploymentEditor = page(async () => (await import('./screens/deployment-editor.tsx')).DeploymentEditorScreen);
const paymentSuccess = page(async () => (await import('./screens/payment-success.tsx')).PaymentSuccessScreen);
const notFound = page(async () => (await import('./screens/not-found.tsx')).NotFoundScreen);

function page(load: () => Promise<ComponentType>): LazyComponent<object> {
  return lazyComponent(load);
}

const plain = { access: 'public', layout: 'plain', skeleton: 'spinner' } as const;
const app = { access: 'app', layout: 'sidebar', skeleton: 'spinner', needsData: true } as const;

const signInDescription = 'Log in to Fairlead or create an account. Manage your domain deployments with ease.';
const plansDescription = 'Plans and prices of Fairlead, with a 14-day trial of Pro that needs no card.';

/** All routes of the app. Order matters: the first match counts. */
export const routes: Record<PathName, AppRoute> = {
  home: {
    path: paths.home,
    screen: home,
    ...plain,
    title: 'Home',
    description: 'Publish a folder of web files in about a minute, with no terminal and no Git account.',
  },
  about: {
    path: paths.about,
    screen: about,
    ...plain,
    title: 'About',
    description: 'What Fairlead is for, what it does and how to reach us.',
  },
  login: { path: paths.login, screen: auth, ...plain, title: 'Login', description: signInDescription },
  register: { path: paths.register, screen: auth, ...plain, title: 'Register', description: signInDescription },
  auth: { path: paths.auth, screen: auth, ...plain, title: 'Login', description: signInDescription },
  authReset: {
    path: paths.authReset,
    screen: authReset,
    ...plain,
    title: 'New password',
  },
  authConfirm: {
    path: paths.authConfirm,
    screen: authConfirm,
    ...plain,
    title: 'Confirm your address',
  },
  authStopEmailChange: {
    path: paths.authStopEmailChange,
    screen: authStopEmailChange,
    ...plain,
    title: 'Stop the change of your email address',
  },
  authDeleteAccount: {
    path: paths.authDeleteAccount,
    screen: authDeleteAccount,
    ...plain,
    title: 'Delete your account',
  },
  disclaimer: {
    path: paths.disclaimer,
    screen: disclaimer,
    ...plain,
    title: 'Beta Program Disclaimer',
    description: 'What to know before you join the beta program.',
  },
  betaWelcome: {
    path: paths.betaWelcome,
    screen: betaWelcome,
    ...plain,
    title: 'Beta welcome',
    description: 'Welcome to the beta program.',
  },
  pricing: {
    path: paths.pricing,
    screen: pricing,
    ...plain,
    layout: 'sidebar',
    title: 'Pricing & Trial',
    description: plansDescription,
  },
  subscriptionPricing: {
    path: paths.subscriptionPricing,
    screen: subscriptionPricing,
    ...plain,
    title: 'Choose a plan',
    description: plansDescription,
  },
  subscriptionSuccess: {
    path: paths.subscriptionSuccess,
    screen: subscriptionSuccess,
    ...plain,
    needsData: true,
    title: 'Subscription',
  },
  subscriptionCancel: {
    path: paths.subscriptionCancel,
    screen: subscriptionCancel,
    ...plain,
    title: 'Subscription',
  },
  subscriptionTerms: {
    path: paths.subscriptionTerms,
    screen: subscriptionTerms,
    ...plain,
    title: 'Terms',
    description: 'What you can expect of Fairlead, and what we expect of you.',
  },
  subscriptionPrivacy: {
    path: paths.subscriptionPrivacy,
    screen: subscriptionPrivacy,
    ...plain,
    title: 'Privacy',
    description: 'What Fairlead stores about you, for how long, and how to have it erased.',
  },
  subscriptionRefunds: {
    path: paths.subscriptionRefunds,
    screen: subscriptionRefunds,
    ...plain,
    title: 'Refunds',
    description: 'When you get your money back, and how.',
  },
  testCheckout: {
    path: paths.testCheckout,
    screen: testCheckout,
    ...app,
    layout: 'plain',
    title: 'Test checkout',
  },
  websocketDemo: {
    path: paths.websocketDemo,
    screen: websocketDemo,
    ...plain,
    needsData: true,
    title: 'WebSocket demo',
    description: 'The real-time channel at work.',
  },
  faq: {
    path: paths.faq,
    screen: faq,
    ...plain,
    layout: 'sidebar',
    title: 'Frequently Asked Questions',
    description: 'Questions about Fairlead, answered.',
  },
  help: {
    path: paths.help,
    screen: help,
    ...plain,
    layout: 'sidebar',
    title: 'Help & Documentation',
    description: 'How to publish a website.',
  },
  dashboard: {
    path: paths.dashboard,
    screen: dashboard,
    ...app,
    skeleton: 'dashboard',
    title: 'Dashboard',
  },
  analytics: {
    path: paths.analytics,
    screen: analytics,
    ...app,
    title: 'Analytics',
  },
  deployments: {
    path: paths.deployments,
    screen: deployments,
    ...app,
    skeleton: 'table',
    title: 'Active Deployments',
  },
  deployment: {
    path: paths.deployment,
    screen: deployment,
    ...app,
    skeleton: 'table',
    title: 'Deployment',
    highlights: paths.deployments,
  },
  release: {
    path: paths.release,
    screen: release,
    ...app,
    skeleton: 'table',
    title: 'Release',
    highlights: paths.deployments,
  },
  deploymentHistory: {
    path: paths.deploymentHistory,
    screen: deploymentHistory,
    ...app,
    title: 'Deployment History',
  },
  newDeployment: {
    path: paths.newDeployment,
    screen: newDeployment,
    ...app,
    skeleton: 'form',
    title: 'New Deployment',
  },
  deploymentSetup: {
    path: paths.deploymentSetup,
    screen: deploymentSetup,
    ...app,
    title: platformTitle,
    highlights: paths.newDeployment,
  },
  deployNetlify: {
    path: paths.deployNetlify,
    screen: deployNetlify,
    ...app,
    title: 'Deploy to Netlify',
  },
  deploy: {
    path: paths.deploy,
    screen: deploymentSetup,
    ...app,
    title: platformTitle,
  },
  quickDeploy: {
    path: paths.quickDeploy,
    screen: quickDeploy,
    ...app,
    title: 'Quick Deploy',
  },
  guidedDeployment: {
    path: paths.guidedDeployment,
    screen: guidedDeployment,
    ...app,
    title: 'Guided Deployment',
  },
  testSimulation: {
    path: paths.testSimulation,
    screen: testSimulation,
    ...app,
    title: 'Test & Simulation',
  },
  unifiedDeployment: {
    path: paths.unifiedDeployment,
    screen: unifiedDeployment,
    ...app,
    title: 'All-in-One Deployment',
  },
  diagnostics: {
    path: paths.diagnostics,
    screen: diagnostics,
    ...app,
    title: 'System Diagnostics',
  },
  sharedReport: {
    path: paths.sharedReport,
    screen: sharedReport,
    ...plain,
    needsData: true,
    title: 'Report',
    description: 'A report.',
  },
  domains: {
    path: paths.domains,
    screen: domains,
    ...app,
    skeleton: 'table',
    title: 'Domains',
  },
  domain: {
    path: paths.domain,
    screen: domain,
    ...app,
    highlights: paths.domains,
    skeleton: 'table',
    title: 'Domain',
  },
  certificates: {
    path: paths.certificates,
    screen: certificates,
    ...app,
    title: 'SSL Certificates',
  },
  settings: {
    path: paths.settings,
    screen: settings,
    ...app,
    skeleton: 'form',
    title: 'Settings',
  },
  licenseManagement: {
    path: paths.licenseManagement,
    screen: licenseManagement,
    ...app,
    title: 'License Management',
  },
  account: {
    path: paths.account,
    screen: account,
    ...app,
    skeleton: 'form',
    title: 'Account',
  },
  receipt: {
    path: paths.receipt,
    screen: receipt,
    ...app,
    title: 'Receipt',
  },
  deploymentEditor: {
    path: paths.deploymentEditor,
    screen: deploymentEditor,
    ...app,
    title: 'Deployment editor',
    highlights: paths.deployments,
  },
  paymentSuccess: {
    path: paths.paymentSuccess,
    screen: paymentSuccess,
    ...app,
    access: 'subscription',
    title: 'Payment success',
  },
};

const NOT_FOUND_TITLE = '404 Page Not Found';

const notFoundRoute: AppRoute = {
  path: '*',
  screen: notFound,
  ...plain,
  layout: 'sidebar',
  title: NOT_FOUND_TITLE,
  description: 'There is no page at this address.',
};

/** Returns the route of a path and its title; an address that names a missing thing gets the not-found page. */
export function findRoute(pathname: string): { route: AppRoute; title: string } {
  for (const route of Object.values(routes)) {
    if (!matchesPath(route.path, pathname)) continue;
    const title = typeof route.title === 'string' ? route.title : route.title(pathname);
    if (title !== null) return { route, title };
  }
  return { route: notFoundRoute, title: NOT_FOUND_TITLE };
}

/** Returns 'Deploy to Vercel' for `/deploy/vercel` and `/deployment-setup/vercel`; an unknown platform has no page. */
function platformTitle(pathname: string): string | null {
  const [, id] = pathname.split('/').filter(Boolean);
  const known = Object.entries(HOSTING_TITLES).find(([platform]) => platform === id);
  return known === undefined ? null : `Deploy to ${known[1]}`;
}
