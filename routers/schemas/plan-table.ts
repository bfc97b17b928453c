import { BETA_MONTHS, BETA_PRICE_DOLLARS } from './limits.ts';

export const PLANS = {
  free: {
    title: 'Free',
    period: '',
    dollars: 0,
    months: 0,
    deployments: 0,
    customDomains: 0,
    analyticsDays: null,
    diagnostics: 'basic',
    platforms: 'none',
    earlyAccess: false,
    rank: 0,
  },
  BASIC: {
    title: 'Basic',
    period: 'a month',
    dollars: 5,
    months: 1,
    deployments: 1,
    customDomains: 1,
    analyticsDays: 7,
    diagnostics: 'basic',
    platforms: 'one',
    earlyAccess: false,
    rank: 1,
  },
  STANDARD: {
    title: 'Standard',
    period: 'a month',
    dollars: 12,
    months: 1,
    deployments: 3,
    customDomains: 5,
    analyticsDays: 30,
    diagnostics: 'all',
    platforms: 'one',
    earlyAccess: false,
    rank: 2,
  },
  PRO: {
    title: 'Pro',
    period: 'a month',
    dollars: 29,
    months: 1,
    deployments: null,
    customDomains: null,
    analyticsDays: 396,
    diagnostics: 'all',
    platforms: 'several',
    earlyAccess: true,
    rank: 3,
  },
  BETA: {
    title: 'Beta',
    period: `once, ${BETA_MONTHS} months`,
    dollars: BETA_PRICE_DOLLARS,
    months: BETA_MONTHS,
    deployments: null,
    customDomains: null,
    analyticsDays: 396,
    diagnostics: 'all',
    platforms: 'several',
    earlyAccess: true,
    rank: 3,
  },
} as const satisfies Record<string, PlanRow>;

/** A cap of `null` means unlimited. */
type PlanRow = {
  title: string;
  /** The billing period as people read it, after the price. */
  period: string;
  /** The price of one payment, and its number of months. */
  dollars: number;
  months: number;
  deployments: number | null;
  customDomains: number | null;
  /** The days for which visits are kept: 396 days are 13 months. */
  analyticsDays: null | 7 | 30 | 396;
  diagnostics: 'basic' | 'all';
  /** `several`: one deployment may be published on several platforms at once; `one`: on any, one at a time. */
  platforms: 'none' | 'one' | 'several';
  /** True when the plan includes features before everybody has them. */
  earlyAccess: boolean;
  /** Beta is Pro at another price, so neither is above the other. */
  rank: 0 | 1 | 2 | 3;
};

/** The plans of a subscription; `free` is the absence of one. */
export const PAID_PLANS = ['BASIC', 'STANDARD', 'PRO', 'BETA'] as const;

/**
 * Returns the price of a month of the plan, in cents. Time beyond the six months of Beta counts at the price of Pro,
 * its equal.
 */
export function monthlyCents(plan: keyof typeof PLANS): number {
  return PLANS[plan === 'BETA' ? 'PRO' : plan].dollars * 100;
}

/** No calendar month is longer, so nobody loses by it. */
const MONTH_DAYS = 31;

/** Returns the whole days of a paid plan that an amount pays for, rounded up in favour of the person. */
export function daysFor(plan: (typeof PAID_PLANS)[number], cents: number): number {
  return Math.ceil((cents * MONTH_DAYS) / monthlyCents(plan));
}

/** Returns whether `plan` allows more than `other`. */
export function isAbove(plan: keyof typeof PLANS, other: keyof typeof PLANS): boolean {
  return PLANS[plan].rank > PLANS[other].rank;
}
