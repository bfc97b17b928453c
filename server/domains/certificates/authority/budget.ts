import { DAY_MS, HOUR_MS } from '../../../lib/durations.ts';

/**
 * The things that an authority counts. `names`: certificates for one exact set; `domain`: for a registrable domain and
 * everything below it. `share`: one account's part of the orders, which only Fairlead counts.
 */
export type BudgetKind = 'orders' | 'share' | 'domain' | 'names' | 'failures';

export type BudgetLimit = { count: number; windowMs: number };

const ORDERS: BudgetLimit = { count: 300, windowMs: 3 * HOUR_MS };
/** The rest is for renewals: they go on however many certificates are ordered for new names. */
const NEW_ORDERS: BudgetLimit = { ...ORDERS, count: 200 };
/** While half is free, no account is limited to a share. */
const halfOf = (limit: BudgetLimit): BudgetLimit => ({ ...limit, count: limit.count / 2 });

/**
 * Let's Encrypt, "Rate Limits", 2026-08-05. Its buckets refill gradually; counting over whole spans is never more
 * generous. A renewal that names the certificate it replaces counts against none. Without that, one for exactly the
 * names of an earlier certificate of theirs counts neither as an order nor for its domains.
 */
const LETS_ENCRYPT: Readonly<Record<BudgetKind, BudgetLimit>> = {
  orders: ORDERS,
  share: { count: 30, windowMs: ORDERS.windowMs },
  domain: { count: 50, windowMs: 7 * DAY_MS },
  names: { count: 5, windowMs: 7 * DAY_MS },
  failures: { count: 5, windowMs: HOUR_MS },
};
/** Nothing is known about other authorities, except that each would take twenty orders a minute for an accident. */
const OTHERS: Readonly<Partial<Record<BudgetKind, BudgetLimit>>> = { failures: { count: 5, windowMs: HOUR_MS } };
/** Two of five are left for a person who presses Try again. */
const FAILURES_BY_ITSELF = 3;

/** Returns the limits of an authority by the host of its directory. */
export function limitsOf(directoryHost: string): Readonly<Partial<Record<BudgetKind, BudgetLimit>>> {
  return directoryHost === 'acme-v02.api.letsencrypt.org' ? LETS_ENCRYPT : OTHERS;
}

export type BudgetQuestion = {
  /** Our account at the authority. */
  accountUrl: string;
  /** The owner of the certificate. */
  accountId: string;
  /** Sorted. */
  names: readonly string[];
  /** The registrable domains of the names. */
  domains: readonly string[];
  /** True when a person asked for it. */
  isByHand: boolean;
  /** The authority whose certificate for exactly these names is renewed: this one, or another; null for a new one. */
  renews: 'own' | 'other' | null;
};

/** `unless`: the entry only counts when that one has no room. */
export type BudgetEntry = { key: string; kind: BudgetKind; limit: BudgetLimit; unless?: Used };
type Used = { key: string; limit: BudgetLimit };

/** Returns the limits that an order counts against. */
export function budgetOf(
  limits: Readonly<Partial<Record<BudgetKind, BudgetLimit>>>,
  { accountUrl, accountId, names, domains, isByHand, renews }: BudgetQuestion,
): BudgetEntry[] {
  const isNew = renews === null;
  const orders = `orders ${accountUrl}`;
  const renewals = `renewals ${accountUrl}`;
  const keys: Partial<Record<BudgetKind, string[]>> = {
    ...(renews !== 'own' && {
      orders: isNew ? [orders] : [orders, renewals],
      share: [isNew ? `share ${accountId}` : `renewals of ${accountId}`],
      domain: domains.map((domain) => `domain ${domain}`),
    }),
    names: [`names ${names.join(',')}`],
    failures: names.map((name) => `failures ${name}`),
  };
  // Shares of renewals apply once renewals use half of their own part, whatever new names have taken.
  const free = isNew
    ? { key: orders, limit: halfOf(NEW_ORDERS) }
    : { key: renewals, limit: halfOf({ ...ORDERS, count: ORDERS.count - NEW_ORDERS.count }) };
  return Object.entries(keys).flatMap(([name, its]) => {
    const kind = kindOf(name);
    const published = kind === null ? undefined : limits[kind];
    if (kind === null || published === undefined) return [];
    const limit = kind === 'orders' && isNew ? NEW_ORDERS : published;
    const count = kind === 'failures' && !isByHand ? FAILURES_BY_ITSELF : limit.count;
    const unless = kind === 'share' ? { unless: free } : {};
    return its.map((key) => ({ key, kind, limit: { ...limit, count }, ...unless }));
  });
}

function kindOf(name: string): BudgetKind | null {
  return name === 'orders' || name === 'share' || name === 'domain' || name === 'names' || name === 'failures'
    ? name
    : null;
}

/** Returns when there is room for one more; `now` if there is. `times` are the uses of this key. */
export function freeAt({ count, windowMs }: BudgetLimit, times: readonly Date[], now: Date): Date {
  const used = times.map((at) => at.getTime()).filter((at) => at > now.getTime() - windowMs);
  const oldest = used.sort((a, b) => b - a)[count - 1];
  return oldest === undefined ? now : new Date(oldest + windowMs);
}
