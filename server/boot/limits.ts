import { UNCONFIRMED_DAYS, UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { Limits } from '../context.ts';
import { DAY_MS, MINUTE_MS } from '../lib/durations.ts';
import type { Env } from './env/env.ts';

const MIB = 1024 ** 2;

/**
 * Sets limits that are wide enough for a person and their scripts, and narrow enough that one account or address
 * cannot hold up the others. Where no source is named the figure is our own choice, and says what it leaves room for.
 */
export function limitsOf(env: Env): Limits {
  return {
    ...CALLS,
    ...SIGN_IN,
    ...MESSAGES,
    ...PLANS,
    ...SITES,
    ...STORAGE,
    ...TRANSFERS,
    isAddressCounted: isOpenToStrangers(env),
    asksForGivenPlan: isOpenToStrangers(env),
    // Where mail stays in the outbox, not everybody who registers can read it.
    smallWhileUnconfirmedMs: env.smtp === undefined ? UNCONFIRMED_DAYS * DAY_MS : Number.POSITIVE_INFINITY,
    accessTokenSeconds: env.accessTokenSeconds,
  };
}

/**
 * Returns whether others than the person at this machine can reach the app: from elsewhere, or through a proxy, which
 * looks like the loopback.
 */
function isOpenToStrangers(env: Env): boolean {
  return !(env.isLocal && env.trustProxy === 0);
}

const CALLS = {
  // Ten a second for one session or token: a screen makes about ten when it opens.
  callsPerMinute: 600,
  // All sessions and tokens of an account together: a person and one or two scripts that call as fast as they may.
  accountCallsPerMinute: 1_200,
  // A call has some hundred bytes: this is a hundred and sixty of the longest, which take half a second to parse.
  accountBodyBytesPerMinute: 16 * MIB,
  // Before a session there are a few calls a page; people behind one address share it.
  anonymousCallsPerMinute: 60,
  // A longer call is waiting itself, for a name server or a hash.
  longestCallTurnMs: 500,
  // A call has some hundred bytes and 100 KiB at most: one address sends forty of the largest at once, a process
  // takes 320.
  bodyBytes: { perAddress: 4 * MIB, perProcess: 32 * MIB },
  // A tab or a script has one.
  socketsPerAccount: 10,
  // Five accounts with all their sockets behind one address.
  socketsPerAddress: 50,
  // All of these, reconnecting every ten seconds as the client does (REALTIME_RECONNECT_MS).
  socketsOpenedPerMinute: 300,
} satisfies Partial<Limits>;

const SIGN_IN = {
  // An office behind one address mistypes less; a list of stolen passwords is slowed to 4,320 tries a day.
  failuresPerAddress: { count: 30, windowMs: 10 * MINUTE_MS },
  // A person who knows the password gets it right within five tries; after that each wait is twice as long as the
  // last.
  freeFailuresPerUsernameAndAddress: 5,
  // A fifth of the 100 failures in a row that NIST SP 800-63B, section 5.2.2, allows: then only strangers wait longer.
  failuresPerUsername: { count: 20, windowMs: 15 * MINUTE_MS },
  // One every five seconds, each as much work as a wrong one: more than a person types and scripts sign in.
  rightPasswordsPerTenMinutes: 120,
  // Counted by address: a team may sign up together.
  registrationsPerHour: 10,
  // Allows the first mail, one that went to the junk folder, and one more; nobody can flood a mailbox through the
  // form.
  forgotPasswordPerHour: { perAccount: 3, perAddress: 10 },
  confirmationsPerRecipientPerHour: 6,
  // An office that begins on one day: each browser does it once a year.
  acceptancesPerHour: 60,
  // New passwords and API tokens: each sends a mail, which is kept for a week with its job.
  credentialActsPerHour: 60,
} satisfies Partial<Limits>;

const MESSAGES = {
  // People read both. A rating has 2 KB at most and a message 5 KB, and both are kept for a year.
  feedbackPerHour: 5,
  // Twice a week for an account; strangers can write 40 MB in all, of which one address has a fifth at most.
  feedbackRows: { perAccount: 100, ofStrangers: 20_000, perAddressADay: 10 },
  contactPerHour: 5,
  // All of these were also mailed to the operator.
  contactRows: { perAccount: 100, ofStrangers: 10_000 },
  // A dozen people who write all that they may; nobody reads more than that.
  contactMailsPerHour: 60,
  // A person who tries out how notifications look sends a few; each is kept for a week.
  testNotificationsPerHour: 10,
} satisfies Partial<Limits>;

const PLANS = {
  // A person who compares plans opens a few; each is a row that stays for a month.
  checkoutsPerHour: 20,
  // A person who types from paper learns of a slip before the key is looked up; an office shares one address.
  licenseGuessesPerHour: { perAccount: 20, perAddress: 60 },
  // People do it once in a while; each one makes a key.
  licenseTransfersPerHour: 20,
} satisfies Partial<Limits>;

const SITES = {
  // A script that moves a whole agency's websites here takes a few hours; plans may have no other bound.
  deploymentsPerHour: 100,
  // For all deployments of an account: a build that publishes every eighteen seconds for an hour. Each is a row with
  // steps and a log.
  releasesPerHour: 200,
  // People do it once in a while; each one takes a name that nobody else can have then.
  addressChangesPerHour: 10,
  // A script that renames all of an agency's deployments takes a few hours; each one is an event to every open tab.
  deploymentUpdatesPerHour: 300,
  // With their certificates 200 MB in each process (host/routing/name-index.ts).
  domainsInAll: 100_000,
} satisfies Partial<Limits>;

const STORAGE = {
  // Sizes and counts of files are in routers/schemas/limits.ts.
  uploadBytesPerDay: UPLOAD_LIMITS.maxBytesPerDay,
  accountBytes: UPLOAD_LIMITS.maxAccountBytes,
  accountFiles: UPLOAD_LIMITS.maxAccountFiles,
  // Forty deployments with all their kept releases; with steps and logs of ordinary size that is 200 MB.
  accountRows: 20_000,
  listedFiles: UPLOAD_LIMITS.maxListedFiles,
  atFirst: {
    uploadBytesPerDay: UPLOAD_LIMITS.maxBytesPerDayAtFirst,
    accountBytes: UPLOAD_LIMITS.maxAccountBytesAtFirst,
    accountFiles: UPLOAD_LIMITS.maxFiles,
    accountRows: 1_000,
  },
  // This room is reserved for the database, which goes on writing while uploads are refused
  // (server/store/disk/space.ts).
  minFreeDiskBytes: 500 * MIB,
} satisfies Partial<Limits>;

const TRANSFERS = {
  // For one account: the browser sends six at once (src/uploads/send.ts), and a script may send beside it.
  uploadsAtOnce: 8,
  // Forty a second: small files travel together, and large ones fill a line with fewer.
  uploadsPerMinute: 2_400,
  // Each holds the list of a release's files and the directory of its ZIP, some 30 MB at the most.
  downloadsAtOnce: { perAccount: 2, perProcess: 8 },
  // A script that saves the releases of all deployments; otherwise small ones could be zipped twenty times a second.
  downloadsPerMinute: 60,
  // Half a megabit, which every line that loads a modern page has; the patience covers a line that drops for a
  // moment. Taking all slots from others would cost an attacker 32 megabits.
  slowestDownload: { bytesPerSecond: 64 * 1_024, patienceMs: 30_000, givesWayBelow: 512 * 1_024 },
} satisfies Partial<Limits>;
