import type { Scope } from '../routers/schemas/tokens.ts';
import type { ZipIntake } from './artifacts/intake.ts';
import type { ArtifactStore } from './artifacts/store.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail/mailer.ts';
import type { PlatformRegistry } from './platforms/platform.ts';
import type { PasswordHasher, Secrets } from './secrets.ts';
import type { Tally } from './tally.ts';

/** Who acts. Every filter of a service carries `accountId`. */
export type Actor =
  | { kind: 'account'; accountId: string; sessionId: string }
  | { kind: 'token'; accountId: string; tokenId: string; tokenName: string; scopes: Scope[] }
  | { kind: 'job'; name: string; accountId: string }
  | { kind: 'anonymous' };

/** The limits that benches and tests replace; defaults in server/providers.ts name their sources. */
export type Limits = {
  isAddressCounted: boolean;
  callsPerMinute: number;
  anonymousCallsPerMinute: number;
  failuresPerAddress: { count: number; windowMs: number };
  freeFailuresPerUsernameAndAddress: number;
  failuresPerUsername: { count: number; windowMs: number };
  registrationsPerHour: number;
  forgotPasswordPerHour: { perAccount: number; perAddress: number };
  feedbackPerHour: number;
  contactPerHour: number;
  uploadBytesPerDay: number;
  accountBytes: number;
  uploadsAtOnce: number;
  downloadsAtOnce: { perAccount: number; perProcess: number };
  downloadStallMs: number;
  socketsPerAccount: number;
  socketsPerAddress: number;
  accessTokenSeconds: number;
  minFreeDiskBytes: number;
};

/** Where things are reached; built from the environment once (server/env.ts). */
export type Addresses = {
  publicUrl: string;
  sitesDomain: string;
  sitesPort: number;
  /** Where our own requests to our own host connect, since not every resolver knows `*.localhost`. */
  sitesListener: { host: string; port: number };
  supportEmail: string;
  /** Who gets what people write through the contact form. */
  operatorEmail: string;
  /** TRUST_PROXY: how many proxies in front add to `X-Forwarded-For`; none when absent. */
  trustedProxies?: number;
};

/** The way out to other people's services: tests lead it elsewhere, and wait for nothing. */
export type Network = {
  fetch: typeof globalThis.fetch;
  /** Resolves after `ms`; rejects with the reason of the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

/** Every adapter a service may need, behind its interface. Built in server/providers.ts alone. */
export type Providers = {
  addresses: Addresses;
  limits: Limits;
  store: ArtifactStore;
  zips: ZipIntake;
  platforms: PlatformRegistry;
  network: Network;
  mailer: Mailer;
  hasher: PasswordHasher;
  secrets: Secrets;
  changes: ChangeFeed;
  /** What is counted over all processes of this instance. */
  tally: Tally;
  log: Log;
  now(): Date;
  /** Where a test of crashes ends the process; no running installation has it. */
  faults?: Faults;
};

/** Called at each boundary of a job's work; may never return. */
export type Faults = { at(boundary: string): Promise<void> };

/** What a browser holds for us besides the bearer token. Services read and write it without knowing HTTP. */
export type JarName = 'refresh' | 'device' | 'disclaimer';
export type CookieJar = {
  read(name: JarName): string | undefined;
  /** `null` clears it. */
  write(name: JarName, value: string | null): void;
};

/** Where a call comes from: for throttling, the session list and warnings. */
export type CallOrigin = {
  /** Client address after `TRUST_PROXY` hops; IPv6 shortened to its /64. */
  address: string;
  userAgent: string;
  /** The bearer token as sent, also when it is no longer good: logout still finds its session by it. */
  bearer: string | undefined;
};

/** The open connection of a subscription. */
export type Line = {
  /** Resolves once the reader has taken most of what was sent to it, so that a slow one fills no memory here. */
  whenWritable(signal: AbortSignal | undefined): Promise<void>;
  /** Ends the connection of an actor whose session or token is over. */
  hangUp(): void;
};

export type ServiceContext = {
  actor: Actor;
  providers: Providers;
  origin: CallOrigin;
  jar: CookieJar;
  now(): Date;
  requestId: string;
  /** Of calls over a WebSocket alone. */
  line?: Line | undefined;
};

export type AccountContext = ServiceContext & { actor: Extract<Actor, { accountId: string }> };

const NO_JAR: CookieJar = { read: () => undefined, write: () => undefined };

/** Context of a job: it acts for one account, with no browser behind it. */
export function jobContext(providers: Providers, job: { name: string; accountId: string; id: string }): AccountContext {
  return {
    actor: { kind: 'job', name: job.name, accountId: job.accountId },
    providers,
    origin: { address: 'job', userAgent: job.name, bearer: undefined },
    jar: NO_JAR,
    now: () => providers.now(),
    requestId: job.id,
  };
}
