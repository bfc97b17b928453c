import { NO_ACCOUNT } from '../database/models/account-scope.ts';
import type { JobName } from './payloads.ts';

/**
 * Which jobs share workers, and how many run at once. Short work, such as mail, never waits behind releases; of one
 * account only so many jobs of a lane run at once, so that others find a place while its long ones last.
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
 * `loops` are of an instance: its processes share them. `whenAlone`: up to so many run at once while no other account waits;
 * the loops beyond it are for whoever comes. `asideOf`: it takes the jobs of that lane which waited once for somebody else,
 * and gave their place back for it.
 */
export type Lane = { loops: number; perAccount: number; whenAlone?: number; asideOf?: LaneName };

export const LANES: Record<LaneName, Lane> = {
  messages: { loops: 2, perAccount: 1 },
  /**
   * What is ours to do, and what a platform is sent. With a second place only while nobody else waits it takes three
   * accounts to hold them all.
   */
  releases: { loops: 4, perAccount: 1, whenAlone: 2 },
  /**
   * Releases that look at sites elsewhere and wait for platforms, which may be slow: it takes a dozen accounts to hold all
   * places, and those for twenty seconds (services/releases/compare-answers.ts, patience.ts).
   */
  looks: { loops: 12, perAccount: 1, whenAlone: 4, asideOf: 'releases' },
  /**
   * They wait for the name servers of strangers, which may be slow: with one place for each account that others wait beside,
   * it takes a dozen accounts to hold them all, and those for eight seconds.
   */
  domains: { loops: 12, perAccount: 1, whenAlone: 4 },
  /** A person waits for them; they wait for the DNS provider, some for minutes. */
  records: { loops: 4, perAccount: 1 },
  /** A person waits for them; they wait for the name servers and the hosts of strangers. */
  reports: { loops: 4, perAccount: 1 },
  /**
   * They wait for the authority most of the time, and minutes for the name servers of strangers. Whoever moves thirty names
   * here at once has them in fifteen seconds, of two seconds each, and two more accounts still find places.
   */
  certificates: { loops: 8, perAccount: 2, whenAlone: 4 },
  /**
   * They ask servers that people name, and some go through all accounts: neither maintenance nor orders wait for them, and
   * two accounts with slow servers are not to hold all places.
   */
  rehearsals: { loops: 4, perAccount: 1 },
  /** They wait for the pace of platforms, and two accounts are not to hold all places. */
  removals: { loops: 4, perAccount: 1 },
  /** Compression takes all cores that it gets, and none of it is urgent. */
  followUps: { loops: 1, perAccount: 1 },
  maintenance: { loops: 2, perAccount: 1 },
};

const LANE_OF: Record<JobName, LaneName> = {
  'send-mail': 'messages',
  'settle-test-payment': 'messages',
  'forgot-password': 'messages',
  'sync-payments': 'messages',
  'deploy-release': 'releases',
  'publish-destination': 'releases',
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
  'compress-release': 'followUps',
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

/** Returns the jobs of a lane, of those that a worker has a handler for. */
export function namesOf(lane: string, names: readonly string[]): string[] {
  return Object.entries(LANE_OF).flatMap(([name, its]) => (its === lane && names.includes(name) ? [name] : []));
}

/** Whether a job that waits for somebody else is left to another lane from then on. */
export function standsAside(name: JobName): boolean {
  return Object.values(LANES).some(({ asideOf }: Lane) => asideOf === LANE_OF[name]);
}

/** Returns the accounts whose jobs come to more than so much together. */
export function accountsAbove<Job extends { accountId: string }>(
  jobs: readonly Job[],
  limit: number,
  amountOf: (job: Job) => number,
): string[] {
  const sums = new Map<string, number>();
  for (const job of jobs) sums.set(job.accountId, (sums.get(job.accountId) ?? 0) + amountOf(job));
  return [...sums].filter(([id, sum]) => id !== NO_ACCOUNT && sum > limit).map(([id]) => id);
}
