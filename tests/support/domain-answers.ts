import type { Domain } from '../../routers/schemas/domains.ts';
import type { Answers } from './screen.tsx';
import { allowanceOf, deploymentOf } from './screen-fixtures.ts';

export const DOMAIN_PLACE = { pattern: '/domains/:domainId', path: '/domains/shop' };

/** The answers that the screens of domains request, for an account with this domain. */
export const domainAnswers = (domain: Domain): Answers => ({
  'subscription.allowance': () => allowanceOf(),
  'deployments.list': () => ({ items: [deploymentOf()], nextCursor: null }),
  'domains.get': () => domain,
  'domains.lastPlan': () => null,
  'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
  'certificates.list': () => ({ items: [], localRoot: null }),
  'diagnostics.list': () => ({ items: [] }),
  'domains.list': () => ({ items: [domain], nextCursor: null }),
});
