import type { Scope } from '../routers/schemas/tokens.ts';
import type { Mailer } from './account/mail/mailer.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { DnsClient } from './dns/dns-client.ts';
import type { DomainConnect } from './dns/domain-connect.ts';
import type { DnsProviderRegistry } from './dns/provider.ts';
import type { CertificateAuthority } from './domains/certificates/authority/authority.ts';
import type { SitesAddresses } from './host/sites-addresses.ts';
import type { PasswordHasher, Secrets } from './lib/crypto/secrets.ts';
import type { Egress } from './lib/egress/egress.ts';
import type { Reach } from './lib/egress/reach.ts';
import type { Log } from './lib/log.ts';
import type { RateCounters } from './lib/rate-counters.ts';
import type { PaymentService } from './plans/payments/payments.ts';
import type { Credentials, PlatformRegistry, SignInRegistry } from './publishing/platforms/platform.ts';
import type { ZipIntake } from './store/intake.ts';
import type { ArtifactStore } from './store/store.ts';

/** The caller of a service. Every filter of a service carries `accountId`. */
export type Actor =
  | { kind: 'account'; accountId: string; sessionId: string }
  | { kind: 'token'; accountId: string; tokenId: string; tokenName: string; scopes: Scope[] }
  | { kind: 'job'; name: string; accountId: string }
  | { kind: 'anonymous' };

/** Limits that benches and tests replace; server/boot/limits.ts has the defaults, each with its reason. */
export type Limits = {
  isAddressCounted: boolean;
  /** Counts the calls of one session or token. */
  callsPerMinute: number;
  /** Counts the calls of all sessions and tokens of an account. */
  accountCallsPerMinute: number;
  /** Counts the bodies of those calls. */
  accountBodyBytesPerMinute: number;
  anonymousCallsPerMinute: number;
  /** A call of an account that takes longer no longer holds up its others. */
  longestCallTurnMs: number;
  failuresPerAddress: { count: number; windowMs: number };
  freeFailuresPerUsernameAndAddress: number;
  failuresPerUsername: { count: number; windowMs: number };
  /** Counts over all sessions of one account. */
  rightPasswordsPerTenMinutes: number;
  registrationsPerHour: number;
  forgotPasswordPerHour: { perAccount: number; perAddress: number };
  /** Counts the links to confirm an address, from all accounts together, to one mailbox. */
  confirmationsPerRecipientPerHour: number;
  /** Counts acceptances of the disclaimer by signed-out people, for one address: each is kept for a year. */
  acceptancesPerHour: number;
  feedbackPerHour: number;
  /**
   * The rows that are kept at once, for an account and for all strangers together, and those of one address in a day.
   */
  feedbackRows: { perAccount: number; ofStrangers: number; perAddressADay: number };
  contactPerHour: number;
  /** The rows that are kept, for an account and for all strangers together; the oldest give way. */
  contactRows: { perAccount: number; ofStrangers: number };
  /** Counts all strangers together, and all accounts together. */
  contactMailsPerHour: number;
  checkoutsPerHour: number;
  /** Counts license keys that do not exist. */
  licenseGuessesPerHour: { perAccount: number; perAddress: number };
  licenseTransfersPerHour: number;
  /** Counts for one account. */
  deploymentsPerHour: number;
  /** Counts over all deployments of an account; trying again and rolling back count, too. */
  releasesPerHour: number;
  /** Counts over all deployments of an account. */
  addressChangesPerHour: number;
  credentialActsPerHour: number;
  deploymentUpdatesPerHour: number;
  /** Limits all accounts together: each process has their names in memory. */
  domainsInAll: number;
  testNotificationsPerHour: number;
  uploadBytesPerDay: number;
  accountBytes: number;
  accountFiles: number;
  /** Counts the deployments, releases and rollbacks of an account. */
  accountRows: number;
  /** Counts over all releases of an account; a file that several of them share counts for each. */
  listedFiles: number;
  /** The longest time for which an account with an unconfirmed address has the small allowance. */
  smallWhileUnconfirmedMs: number;
  /** True where strangers can register: they get the trial, and a plan of the test checkout, for nothing. */
  asksForGivenPlan: boolean;
  /**
   * The allowance until an account has a plan (where strangers can register, one that was granted or paid for) and a
   * confirmed address.
   */
  atFirst: { uploadBytesPerDay: number; accountBytes: number; accountFiles: number; accountRows: number };
  /** Limits the bodies of calls in memory at once; bodies of uploads do not count. */
  bodyBytes: { perAddress: number; perProcess: number };
  uploadsAtOnce: number;
  /** Counts the requests of one account that bring files or a list of them. */
  uploadsPerMinute: number;
  downloadsAtOnce: { perAccount: number; perProcess: number };
  /** Counts the downloads of one account that are assembled: releases, exports and tables. */
  downloadsPerMinute: number;
  /**
   * A reader whose average is below `bytesPerSecond` is cut off once we have waited for it for `patienceMs`; one below
   * `givesWayBelow` is cut off when an account without a download finds no slot.
   */
  slowestDownload: { bytesPerSecond: number; patienceMs: number; givesWayBelow: number };
  socketsPerAccount: number;
  socketsPerAddress: number;
  /** Counts for one address. */
  socketsOpenedPerMinute: number;
  accessTokenSeconds: number;
  minFreeDiskBytes: number;
};

/** Addresses of the installation, built from the environment once (server/boot/env/env.ts). */
export type Addresses = {
  publicUrl: string;
  sitesDomain: string;
  /** The address of a site for people: scheme, name and port, with `{slug}` for the site's own part of the name. */
  sitesUrl: string;
  /** The port at which domains with a certificate are served; absent when TLS has no port of its own. */
  sitesTlsPort?: number | undefined;
  /** The port at which the host answers without TLS, on all of its addresses; absent when unknown. */
  sitesHttpPort?: number | undefined;
  /** Our own requests to our own host connect here, since not every resolver knows `*.localhost`. */
  sitesListener: { protocol: 'http:' | 'https:'; host: string; port: number };
  supportEmail: string;
  /** Messages of the contact form go to this address. */
  operatorEmail: string;
  /** TRUST_PROXY: the number of proxies in front that add to `X-Forwarded-For`; none when absent. */
  trustedProxies?: number;
};

/**
 * Opens the credentials of one destination: those of its own connection, and of a second one when its options name it.
 */
export type CredentialsOf = (
  accountId: string,
  destination: { connectionId?: string | null | undefined; options?: unknown },
) => Credentials;

/** Every adapter that a service may need, behind its interface. They are built in server/boot/providers.ts alone. */
export type Providers = {
  addresses: Addresses;
  /** Returns the addresses to which the records of a domain on the built-in host must point. */
  sitesAddresses(): Promise<SitesAddresses>;
  limits: Limits;
  store: ArtifactStore;
  zips: ZipIntake;
  /** Returns how much more the database may grow before optional writes are refused. */
  databaseSpace: { freeBytes(): Promise<number> };
  platforms: PlatformRegistry;
  dnsProviders: DnsProviderRegistry;
  /** Sends requests to addresses that somebody else chose. */
  egress: Egress;
  /** The network checks that a diagnosis needs besides requests. */
  reach: Reach;
  /** Queries public DNS. */
  dns: DnsClient;
  /** Builds links with which DNS providers set records up; absent when the operator is not registered with them. */
  domainConnect?: (DomainConnect & { serviceId: string }) | undefined;
  /** Signs the certificates of domains. */
  authority: CertificateAuthority;
  /** The authority's staging directory, in which renewals are rehearsed; absent without one. */
  staging?: CertificateAuthority | undefined;
  credentialsOf: CredentialsOf;
  /** People sign in at these platforms, where the operator has registered Fairlead, and need not paste a token. */
  signIn: SignInRegistry;
  /** Resolves after `ms`; rejects with the reason of the signal. Tests replace it, so that they do not wait. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  mailer: Mailer;
  /** Takes payments for plans. */
  payments: PaymentService;
  hasher: PasswordHasher;
  secrets: Secrets;
  changes: ChangeFeed;
  /** Counts over all processes of this instance. */
  rateCounters: RateCounters;
  log: Log;
  now(): Date;
  /** Ends the process at one point, in a test of crashes; an installation never has it. */
  faults?: Faults;
};

/** Called at each boundary of a job's work; it may never return. */
export type Faults = { at(boundary: string): Promise<void> };

/**
 * The cookies that a browser holds for us besides the bearer token. Services read and write them without knowing HTTP.
 */
export type JarName = 'refresh' | 'device' | 'disclaimer';
export type CookieJar = {
  read(name: JarName): string | undefined;
  /** `null` clears the cookie. */
  write(name: JarName, value: string | null): void;
};

/** The origin of a call, for throttling, the session list and warnings. */
export type CallOrigin = {
  /** The client address after `TRUST_PROXY` hops; IPv6 is shortened to its /64. */
  address: string;
  userAgent: string;
  /** The bearer token as sent, even when it is no longer valid: logout still finds its session by it. */
  bearer: string | undefined;
};

/** The open WebSocket that subscriptions run on. */
export type SubscriptionSocket = {
  /**
   * Counts a subscription that begins to run, until the returned function is called; one too many closes the socket.
   */
  countSubscription(): () => void;
  /**
   * Resolves once the reader has taken most of the data that was sent to it, so that a slow one fills no memory here;
   * undefined when it already has.
   */
  whenWritable(signal: AbortSignal | undefined): Promise<void> | undefined;
  /** Closes the connection of an actor whose session or token has ended. */
  close(): void;
};

export type ServiceContext = {
  actor: Actor;
  providers: Providers;
  origin: CallOrigin;
  jar: CookieJar;
  now(): Date;
  requestId: string;
  /** Present when the call came over a WebSocket. */
  connection?: SubscriptionSocket | undefined;
};

export type AccountContext = ServiceContext & { actor: Extract<Actor, { accountId: string }> };

const NO_JAR: CookieJar = { read: () => undefined, write: () => undefined };

/** Creates the context of a job: it acts for one account, without a browser. */
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
