import { BETA_MONTHS, BETA_PRICE_DOLLARS } from './limits.ts';

export const PLANS = {
  free: {
    title: 'Free',
    price: '$0',
    deployments: 0,
    customDomains: 0,
    analytics: 'none',
    diagnostics: 'basic',
    severalPlatforms: false,
  },
  BASIC: {
    title: 'Basic',
    price: '$5 a month',
    deployments: 1,
    customDomains: 1,
    analytics: '7 days',
    diagnostics: 'basic',
    severalPlatforms: false,
  },
  STANDARD: {
    title: 'Standard',
    price: '$12 a month',
    deployments: 3,
    customDomains: 5,
    analytics: '30 days',
    diagnostics: 'all',
    severalPlatforms: false,
  },
  PRO: {
    title: 'Pro',
    price: '$29 a month',
    deployments: null,
    customDomains: null,
    analytics: '13 months',
    diagnostics: 'all',
    severalPlatforms: true,
  },
  BETA: {
    title: 'Beta',
    price: `$${BETA_PRICE_DOLLARS} once, ${BETA_MONTHS} months`,
    deployments: null,
    customDomains: null,
    analytics: '13 months',
    diagnostics: 'all',
    severalPlatforms: true,
  },
} as const satisfies Record<string, PlanRow>;

/** A cap of `null` means unlimited. */
type PlanRow = {
  title: string;
  price: string;
  deployments: number | null;
  customDomains: number | null;
  analytics: string;
  diagnostics: 'basic' | 'all';
  /** One deployment may be published on several platforms at once. */
  severalPlatforms: boolean;
};

/** The plans of a subscription; `free` is the absence of one. */
export const PAID_PLANS = ['BASIC', 'STANDARD', 'PRO', 'BETA'] as const;
