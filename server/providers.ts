import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UPLOAD_LIMITS } from '../routers/schemas/limits.ts';
import { createZipIntake } from './artifacts/intake.ts';
import { openStore } from './artifacts/open-store.ts';
import { createChangeFeed } from './database/change-feed.ts';
import { createEgress } from './egress.ts';
import type { Env } from './env.ts';
import type { Log } from './log.ts';
import { createOutbox } from './mail/outbox.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import { createPasswordHasher } from './password-hasher.ts';
import { createPlatforms } from './platforms/index.ts';
import { createSignIn } from './platforms/oauth.ts';
import type { RateCounters } from './rate-counters.ts';
import { createSecrets, type Keys } from './secrets.ts';
import type { Limits, Providers } from './service-context.ts';
import { createCredentialsOf } from './services/connections/credentials.ts';
import { createCorruptionListener } from './services/corruption.ts';

const MINUTE_MS = 60_000;
const MIB = 1024 ** 2;

/** Where the loopback is counted as a client: reached from elsewhere, or behind a proxy. */
function countsLoopback(env: Env): boolean {
  return !(env.isLocal && env.trustProxy === 0);
}

/** Wide enough for a person and their scripts, narrow enough that one account or address cannot hold up the others. */
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
    accountFiles: UPLOAD_LIMITS.maxAccountFiles,
    listedFiles: UPLOAD_LIMITS.maxListedFiles,
    variantBytes: UPLOAD_LIMITS.maxVariantBytes,
    withoutPlan: {
      uploadBytesPerDay: UPLOAD_LIMITS.maxBytesPerDayWithoutPlan,
      accountBytes: UPLOAD_LIMITS.maxAccountBytesWithoutPlan,
      accountFiles: UPLOAD_LIMITS.maxFiles,
    },
    uploadsAtOnce: 8,
    // Each holds the list of a release's files and the directory of its ZIP, some 30 MB at the most.
    downloadsAtOnce: { perAccount: 2, perProcess: 8 },
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
  { keys, log, rateCounters, now }: { keys: Keys; log: Log; rateCounters: RateCounters; now: () => Date },
): Promise<Providers> {
  const limits = limitsOf(env);
  const providers: Providers = {
    addresses: {
      publicUrl: env.publicUrl,
      sitesDomain: env.sitesDomain,
      sitesUrl: env.sitesUrl,
      sitesListener:
        env.sitesTls === undefined
          ? { protocol: 'http:', host: connectableHost(env.host), port: env.sitesPort }
          : { protocol: 'https:', host: connectableHost(env.host), port: env.sitesTls.port },
      supportEmail: env.supportEmail,
      operatorEmail: env.operatorEmail,
      trustedProxies: env.trustProxy,
    },
    limits,
    store: await openStore(env.artifacts, {
      minFreeBytes: limits.minFreeDiskBytes,
      rateCounters,
      databaseFolder: env.mongodbUri === undefined ? env.dataDir : undefined,
      onCorruption: createCorruptionListener(log),
      now,
    }),
    zips: await createZipIntake(
      { path: join(env.dataDir, 'incoming'), minFreeBytes: limits.minFreeDiskBytes },
      rateCounters,
    ),
    platforms: createPlatforms(env.platformUrls),
    egress: createEgress({ allow: env.egressAllow, bases: Object.values(env.platformUrls) }),
    credentialsOf: (accountId, destination) => createCredentialsOf(providers)(accountId, destination),
    signIn: createSignIn(env.oauthClients),
    wait: waitFor,
    mailer: env.smtp === undefined ? createOutbox(join(env.dataDir, 'outbox'), log) : createSmtpMailer(env.smtp, log),
    hasher: createPasswordHasher({ rateCounters }),
    secrets: createSecrets(keys),
    changes: createChangeFeed(log),
    rateCounters,
    log,
    now,
  };
  return providers;
}

/** Returns one listens on "all addresses", but connects to one. */
function connectableHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Resolves after `ms`; rejects with the reason of the signal, which is not what an ended timer throws. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
