import { NO_ACCOUNT } from '../database/models/account-scope.ts';
import type { JobName } from './payloads.ts';

/**
 * A lane is a set of jobs that share workers. Short work, such as mail, never waits behind releases; one account may
 * run only so many jobs of a lane at once, so that others find a slot while its long ones last.
 */
export type LaneName =
  | 'messages'
  | 'releases'
  | 'looks'
  | 'domains'
  | 'records'
  | 'reports'
  | 'certificates'
  | 'rehearsals'
  | 'removals'
  | 'followUps'
  | 'maintenance';
/**
 * `loops` counts for the whole instance: its processes share them. `whenAlone`: an account may run this many while no
 * other account waits; the remaining loops are for newcomers. `asideOf`: the lane takes jobs of that lane which had to
 * wait for somebody else and gave their slot back.
 */
export type Lane = { loops: number; perAccount: number; whenAlone?: number; asideOf?: LaneName };

export const LANES: Record<LaneName, Lane> = {
  messages: { loops: 2, perAccount: 1 },
  /**
   * Our own work, and uploads to platforms. An account has a second slot only while nobody else waits, so it takes
   * three accounts to hold them all.
   */
  releases: { loops: 4, perAccount: 1, whenAlone: 2 },
  /**
   * Releases that check sites elsewhere and wait for platforms, which may be slow: it takes a dozen accounts to hold
   * all slots, and those for twenty seconds (publication/verification/compare-answers.ts, connections/patience.ts).
   */
  looks: { loops: 12, perAccount: 1, whenAlone: 4, asideOf: 'releases' },
  /**
   * They wait for name servers of strangers, which may be slow: an account has one slot while others wait, so it takes
   * a dozen accounts to hold them all, and those for eight seconds.
   */
  domains: { loops: 12, perAccount: 1, whenAlone: 4 },
  /** A person waits for these, and they wait for the DNS provider, some for minutes. */
  records: { loops: 4, perAccount: 1 },
  /** A person waits for these, and they wait for name servers and hosts of strangers. */
  reports: { loops: 4, perAccount: 1 },
  /**
   * They wait for the authority most of the time, and minutes for name servers of strangers. An account that moves
   * thirty names here at once is done in fifteen seconds, at two seconds each, and two more accounts still find slots.
   */
  certificates: { loops: 8, perAccount: 2, whenAlone: 4 },
  /**
   * They call servers that people name, and some go through all accounts: neither maintenance nor orders wait for
   * them, and two accounts with slow servers must not hold all slots.
   */
  rehearsals: { loops: 4, perAccount: 1 },
  /** They wait for slow platforms, and two accounts must not hold all slots. */
  removals: { loops: 4, perAccount: 1 },
  /** One at a time, since many may come at once and none is urgent. */
  followUps: { loops: 1, perAccount: 1 },
  maintenance: { loops: 2, perAccount: 1 },
};

const LANE_OF: Record<JobName, LaneName> = {
  'send-mail': 'messages',
  'settle-test-payment': 'messages',
  'forgot-password': 'messages',
  'sync-payments': 'messages',
  publish: 'releases',
  'check-domain': 'domains',
  'apply-dns': 'records',
  'run-diagnostics': 'reports',
  'check-deployment': 'domains',
  'detach-domain': 'domains',
  'issue-certificate': 'certificates',
  'check-connection': 'rehearsals',
  'rehearse-renewals': 'rehearsals',
  'remove-challenges': 'rehearsals',
  'remove-destination': 'removals',
  'remove-deployment': 'removals',
  'delete-account': 'removals',
  'report-corruption': 'followUps',
  'collect-garbage': 'maintenance',
  'check-domains': 'maintenance',
  'check-connections': 'maintenance',
  'check-deployments': 'maintenance',
  'renew-certificates': 'maintenance',
  'check-integrity': 'maintenance',
  'expire-subscriptions': 'maintenance',
  'reconcile-payments': 'maintenance',
  'recount-deployments': 'maintenance',
  'roll-up-visits': 'maintenance',
  'forget-visits': 'maintenance',
  'remove-old-releases': 'maintenance',
};

/** Returns the jobs of a lane for which the worker has a handler. */
export function namesOf(lane: string, names: readonly string[]): string[] {
  return Object.entries(LANE_OF).flatMap(([name, its]) => (its === lane && names.includes(name) ? [name] : []));
}

/** Returns whether a job that waits for somebody else moves to another lane from then on. */
export function standsAside(name: JobName): boolean {
  return Object.values(LANES).some(({ asideOf }: Lane) => asideOf === LANE_OF[name]);
}

/** Returns the accounts that have more than `max` jobs together. */
export function accountsAbove<Job extends { accountId: string }>(
  jobs: readonly Job[],
  limit: number,
  amountOf: (job: Job) => number,
): string[] {
  const sums = new Map<string, number>();
  for (const job of jobs) sums.set(job.accountId, (sums.get(job.accountId) ?? 0) + amountOf(job));
  return [...sums].filter(([id, sum]) => id !== NO_ACCOUNT && sum > limit).map(([id]) => id);
}
