import { type AddressPattern, exactAddress, withoutEndSlash } from './address-pattern.ts';
import { fitsOf, type HeaderFits } from './header-fits.ts';

/**
 * How much `_headers` may say to one visitor. The limit is our own, since neither Netlify nor Cloudflare names one for
 * an answer: Node's client reads 16 KiB of headers and proxies in front often no more than 8 KiB, the host's own ones
 * with them, and a page that nobody can read is worse than a line that is told and left out.
 */
export const HEADERS_WEIGHT_MAX = 8 * 1024;
/** RFC 9113, 6.5.2: what a header costs whoever holds it, besides its letters; so many short ones are no way around. */
const LINE_WEIGHT = 32;

type Rule = { fits: HeaderFits };

export type HeaderBudget = {
  /** Takes the line into the rule's account; false when an answer could come to more than the limit with it. */
  admits(rule: Rule, line: { name: string; value: string }): boolean;
};

type Account = { rule: Rule; weight: number; meets: Set<Account> };

/** Counts all rules that may fit one address together, in the order in which the lines are read. */
export function createHeaderBudget(): HeaderBudget {
  const accounts = new Map<Rule, Account>();
  let total = 0;

  function accountOf(rule: Rule): Account {
    const known = accounts.get(rule);
    if (known !== undefined) return known;
    const account: Account = { rule, weight: 0, meets: new Set() };
    for (const other of accounts.values()) {
      if (!mayMeet(rule.fits, other.rule.fits)) continue;
      account.meets.add(other);
      other.meets.add(account);
    }
    accounts.set(rule, account);
    return account;
  }

  return {
    admits(rule, { name, value }) {
      const account = accountOf(rule);
      const weight = name.length + value.length + LINE_WEIGHT;
      const isFine = total + weight <= HEADERS_WEIGHT_MAX;
      if (!isFine && account.weight + heaviest(account.meets) + weight > HEADERS_WEIGHT_MAX) return false;
      account.weight += weight;
      total += weight;
      return true;
    },
  };
}

/**
 * At least what the heaviest of those weigh that fit one address together, and for folders within folders exactly that.
 * Rules that fit one address all meet each other, so none of them weighs more with its neighbours than such a set does;
 * whichever of a set is taken away first has the whole of it for neighbours still.
 */
function heaviest(accounts: ReadonlySet<Account>): number {
  const left = new Map<Account, number>();
  for (const one of accounts) {
    let weight = one.weight;
    for (const other of one.meets) if (accounts.has(other)) weight += other.weight;
    left.set(one, weight);
  }
  let most = 0;
  while (left.size > 0) {
    const [lightest, weight] = [...left].reduce((least, next) => (next[1] < least[1] ? next : least));
    most = Math.max(most, weight);
    left.delete(lightest);
    for (const other of lightest.meets) {
      const known = left.get(other);
      if (known !== undefined) left.set(other, known - lightest.weight);
    }
  }
  return most;
}

/** False only where no address fits both. */
function mayMeet(a: HeaderFits, b: HeaderFits): boolean {
  const address = plainAddress(a);
  if (address !== null) return [address, `${address}/`].some((file) => fitsOf(file)(b));
  if (plainAddress(b) !== null) return mayMeet(b, a);
  if ('segments' in a && 'segments' in b) return mayMeetPattern(a, b);
  const [one, other] = [ends(a), ends(b)];
  return (
    (one.before.startsWith(other.before) || other.before.startsWith(one.before)) &&
    (one.after.endsWith(other.after) || other.after.endsWith(one.after))
  );
}

function plainAddress(fits: HeaderFits): string | null {
  return 'segments' in fits ? exactAddress(fits) : null;
}

function mayMeetPattern(a: AddressPattern, b: AddressPattern): boolean {
  const [short, long] = a.segments.length <= b.segments.length ? [a, b] : [b, a];
  if (short.segments.length < long.segments.length && !short.hasSplat) return false;
  return short.segments.every((segment, index) => {
    const other = long.segments[index];
    return other === undefined || !('text' in segment && 'text' in other) || segment.text === other.text;
  });
}

/** What each address begins and ends with that fits. */
function ends(fits: HeaderFits): { before: string; after: string } {
  if (!('segments' in fits)) return { before: fits.before, after: withoutEndSlash(fits.after) };
  const name = fits.segments.findIndex((segment) => 'name' in segment);
  const plain = name === -1 ? fits.segments : fits.segments.slice(0, name);
  const texts = plain.map((segment) => ('text' in segment ? segment.text : ''));
  return { before: `/${texts.join('/')}`, after: '' };
}
