import { DAY_MS, HOUR_MS } from '../lib/durations.ts';

/**
 * What an authority counts. `names`: of one exact set; `domain`: a registrable domain with all below it. `share`: what of
 * the orders one account of Fairlead takes, which no authority counts.
 */
export type BudgetKind = 'orders' | 'share' | 'domain' | 'names' | 'failures';

export type BudgetLimit = { count: number; windowMs: number };

const ORDERS: BudgetLimit = { count: 300, windowMs: 3 * HOUR_MS };
/** The rest is for renewals: they go on whoever orders certificates for new names. */
const NEW_ORDERS: BudgetLimit = { ...ORDERS, count: 200 };
/** As long as half is free, nobody has to make do with a share. */
const halfOf = (limit: BudgetLimit): BudgetLimit => ({ ...limit, count: limit.count / 2 });

/**
 * Let's Encrypt, "Rate Limits", 2026-08-05. Its buckets fill up again bit by bit; counting over whole spans is never more
 * generous than they are. A renewal that names what it replaces counts against none. One that does not, for exactly the
 * names of an earlier certificate of theirs, counts neither as an order nor for its domains.
 */
const LETS_ENCRYPT: Readonly<Record<BudgetKind, BudgetLimit>> = {
  orders: ORDERS,
  share: { count: 30, windowMs: ORDERS.windowMs },
  domain: { count: 50, windowMs: 7 * DAY_MS },
  names: { count: 5, windowMs: 7 * DAY_MS },
  failures: { count: 5, windowMs: HOUR_MS },
};
/** Of others nothing is known, and each would call twenty orders a minute an accident. */
const OTHERS: Readonly<Partial<Record<BudgetKind, BudgetLimit>>> = { failures: { count: 5, windowMs: HOUR_MS } };
/** Two are left to whoever presses Try again (its own limit is 5). */
const FAILURES_BY_ITSELF = 3;

/** Returns the limits of an authority by the host of its directory. */
export function limitsOf(directoryHost: string): Readonly<Partial<Record<BudgetKind, BudgetLimit>>> {
  return directoryHost === 'acme-v02.api.letsencrypt.org' ? LETS_ENCRYPT : OTHERS;
}

export type BudgetQuestion = {
  /** Ours at the authority. */
  accountUrl: string;
  /** Whose certificate it is. */
  accountId: string;
  /** Sorted. */
  names: readonly string[];
  /** The registrable domains of the names. */
  domains: readonly string[];
  /** Whether a person asked for it. */
  isByHand: boolean;
  /** Who has signed the certificate for exactly these names that it renews: this authority, or another; null without one. */
  renews: 'own' | 'other' | null;
};

/** `unless`: it counts only where that leaves no room. */
export type BudgetEntry = { key: string; kind: BudgetKind; limit: BudgetLimit; unless?: Used };
type Used = { key: string; limit: BudgetLimit };

/** Returns what an order counts against, with its limit. */
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
  // Shares of renewals end where half of what is left to them is used by renewals, whatever new names have taken.
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

/** Returns when there is room for one more; `now` where there is. `times` are the uses of this key. */
export function freeAt({ count, windowMs }: BudgetLimit, times: readonly Date[], now: Date): Date {
  const used = times.map((at) => at.getTime()).filter((at) => at > now.getTime() - windowMs);
  const oldest = used.sort((a, b) => b - a)[count - 1];
  return oldest === undefined ? now : new Date(oldest + windowMs);
}
