import { join } from 'node:path';
import { UPLOAD_LIMITS } from '../routers/schemas/limits.ts';
import { createZipIntake } from './artifacts/intake.ts';
import { openStore } from './artifacts/open-store.ts';
import { createChangeFeed } from './database/change-feed.ts';
import type { Env } from './env.ts';
import type { Log } from './log.ts';
import { createOutbox } from './mail/outbox.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import { network } from './network.ts';
import { createPasswordHasher } from './password-hasher.ts';
import { platforms } from './platforms/index.ts';
import { createSecrets, type Keys } from './secrets.ts';
import type { Limits, Providers } from './service-context.ts';
import { noticeDamage } from './services/damage.ts';
import type { Tally } from './tally.ts';

const MINUTE_MS = 60_000;
const MIB = 1024 ** 2;

/** Where the loopback is counted as a client: reached from elsewhere, or behind a proxy (security facts, 1.8). */
function countsLoopback(env: Env): boolean {
  return !(env.isLocal && env.trustProxy === 0);
}

/** Security facts, sections 1.2, 1.8, 2.1, 8.6 and 10.5. */
function limitsOf(env: Env): Limits {
  return {
    isAddressCounted: countsLoopback(env),
    callsPerMinute: 600,
    anonymousCallsPerMinute: 60,
    failuresPerAddress: { count: 30, windowMs: 10 * MINUTE_MS },
    freeFailuresPerUsernameAndAddress: 5,
    failuresPerUsername: { count: 20, windowMs: 15 * MINUTE_MS },
    registrationsPerHour: 10,
    forgotPasswordPerHour: { perAccount: 3, perAddress: 10 },
    feedbackPerHour: 5,
    contactPerHour: 5,
    uploadBytesPerDay: UPLOAD_LIMITS.maxBytesPerDay,
    accountBytes: UPLOAD_LIMITS.maxAccountBytes,
    uploadsAtOnce: 8,
    // Each holds the list of a release's files and the directory of its ZIP, some 30 MB at the most.
    downloadsAtOnce: { perAccount: 2, perProcess: 8 },
    // As long as any other call may take to send its body (http/server.ts): a line that is only bad moves within it.
    downloadStallMs: 30_000,
    socketsPerAccount: 10,
    socketsPerAddress: 50,
    accessTokenSeconds: env.accessTokenSeconds,
    minFreeDiskBytes: 500 * MIB,
  };
}

/**
 * Builds every adapter from the environment; the only place that chooses. Needs the open database.
 * Throws an Error with a sentence that names the folder when the artifact store cannot be used.
 */
export async function buildProviders(
  env: Env,
  { keys, log, tally, now }: { keys: Keys; log: Log; tally: Tally; now: () => Date },
): Promise<Providers> {
  const limits = limitsOf(env);
  return {
    addresses: {
      publicUrl: env.publicUrl,
      sitesDomain: env.sitesDomain,
      sitesPort: env.sitesPort,
      sitesListener: { host: connectableHost(env.host), port: env.sitesPort },
      supportEmail: env.supportEmail,
      operatorEmail: env.operatorEmail,
      trustedProxies: env.trustProxy,
    },
    limits,
    store: await openStore(env.artifacts, {
      minFreeBytes: limits.minFreeDiskBytes,
      onDamage: noticeDamage(log),
      now,
    }),
    zips: await createZipIntake({ path: join(env.dataDir, 'incoming'), minFreeBytes: limits.minFreeDiskBytes }, tally),
    platforms,
    network,
    mailer: env.smtp === undefined ? createOutbox(join(env.dataDir, 'outbox'), log) : createSmtpMailer(env.smtp, log),
    hasher: createPasswordHasher({ tally }),
    secrets: createSecrets(keys),
    changes: createChangeFeed(log),
    tally,
    log,
    now,
  };
}

/** One listens on "all addresses", but connects to one. */
function connectableHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
