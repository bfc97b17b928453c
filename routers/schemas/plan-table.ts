import { BETA_MONTHS, BETA_PRICE_DOLLARS } from './limits.ts';

/** Plans of the specification, sections 3 and 6; prices and features as the product page, section 4. */
export const PLANS = {
  free: { title: 'Free', price: '$0', deployments: 0, customDomains: 0, analytics: 'none', diagnostics: 'basic' },
  BASIC: {
    title: 'Basic',
    price: '$5 a month',
    deployments: 1,
    customDomains: 1,
    analytics: '7 days',
    diagnostics: 'basic',
  },
  STANDARD: {
    title: 'Standard',
    price: '$12 a month',
    deployments: 3,
    customDomains: 5,
    analytics: '30 days',
    diagnostics: 'all',
  },
  PRO: {
    title: 'Pro',
    price: '$29 a month',
    deployments: null,
    customDomains: null,
    analytics: '13 months',
    diagnostics: 'all',
  },
  BETA: {
    title: 'Beta',
    price: `$${BETA_PRICE_DOLLARS} once, ${BETA_MONTHS} months`,
    deployments: null,
    customDomains: null,
    analytics: '13 months',
    diagnostics: 'all',
  },
} as const satisfies Record<string, PlanRow>;

/** `null` is unlimited. */
type PlanRow = {
  title: string;
  price: string;
  deployments: number | null;
  customDomains: number | null;
  analytics: string;
  diagnostics: 'basic' | 'all';
};

/** What a subscription can be of; `free` is the absence of one. */
export const PAID_PLANS = ['BASIC', 'STANDARD', 'PRO', 'BETA'] as const;
