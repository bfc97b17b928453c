import type { Scope } from '../routers/schemas/tokens.ts';
import type { CertificateAuthority } from './certificates/authority.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { DnsClient } from './dns/dns-client.ts';
import type { DomainConnect } from './dns/domain-connect.ts';
import type { DnsProviderRegistry } from './dns/provider.ts';
import type { SitesAddresses } from './host/sites-addresses.ts';
import type { Egress } from './lib/egress/egress.ts';
import type { Reach } from './lib/egress/reach.ts';
import type { Log } from './lib/log.ts';
import type { RateCounters } from './lib/rate-counters.ts';
import type { PasswordHasher, Secrets } from './lib/secrets.ts';
import type { Mailer } from './mail/mailer.ts';
import type { PaymentService } from './payments/payments.ts';
import type { Credentials, PlatformRegistry, SignInRegistry } from './platforms/platform.ts';
import type { ZipIntake } from './store/intake.ts';
import type { ArtifactStore } from './store/store.ts';

/** The caller of a service. Every filter of a service carries `accountId`. */
export type Actor =
  | { kind: 'account'; accountId: string; sessionId: string }
  | { kind: 'token'; accountId: string; tokenId: string; tokenName: string; scopes: Scope[] }
  | { kind: 'job'; name: string; accountId: string }
  | { kind: 'anonymous' };

/** Limits that benches and tests replace; server/boot/providers.ts has the defaults, each with its reason. */
export type Limits = {
  isAddressCounted: boolean;
  /** Of one session or token. */
  callsPerMinute: number;
  /** Of all sessions and tokens of an account. */
  accountCallsPerMinute: number;
  /** Of the bodies of those calls. */
  accountBodyBytesPerMinute: number;
  anonymousCallsPerMinute: number;
  failuresPerAddress: { count: number; windowMs: number };
  freeFailuresPerUsernameAndAddress: number;
  failuresPerUsername: { count: number; windowMs: number };
  /** Of one account, over all of its sessions. */
  rightPasswordsPerTenMinutes: number;
  registrationsPerHour: number;
  forgotPasswordPerHour: { perAccount: number; perAddress: number };
  /** Links that confirm an address, from all accounts together to one mailbox. */
  confirmationsPerRecipientPerHour: number;
  /** Of the disclaimer by people who are signed out, from one address: each is kept for a year. */
  acceptancesPerHour: number;
  feedbackPerHour: number;
  /** Kept at once of an account and of all strangers together, and of one address in a day. */
  feedbackRows: { perAccount: number; ofStrangers: number; perAddressADay: number };
  contactPerHour: number;
  /** The newest of an account, and of all strangers together. */
  contactRows: { perAccount: number; ofStrangers: number };
  /** Of all strangers, and of all accounts. */
  contactMailsPerHour: number;
  checkoutsPerHour: number;
  /** Of license keys that there are not. */
  licenseGuessesPerHour: { perAccount: number; perAddress: number };
  licenseTransfersPerHour: number;
  /** Of one account. */
  deploymentsPerHour: number;
  /** Of all deployments of an account together; one that is tried again and a roll back are others. */
  releasesPerHour: number;
  /** Of all deployments of an account together. */
  addressChangesPerHour: number;
  credentialActsPerHour: number;
  deploymentUpdatesPerHour: number;
  /** Of all accounts together: each process has their names in memory. */
  domainsInAll: number;
  testNotificationsPerHour: number;
  uploadBytesPerDay: number;
  accountBytes: number;
  accountFiles: number;
  /** Deployments, releases and roll backs of an account together. */
  accountRows: number;
  /** Of all releases of an account together, those that several of them share as often as they do. */
  listedFiles: number;
  /** Of the precompressed variants of an account's releases. */
  variantBytes: number;
  /** How long an account has the small allowance at the most while its address is not confirmed. */
  smallWhileUnconfirmedMs: number;
  /** Where strangers can register: the trial, and a plan of the test checkout, cost them nothing. */
  asksForGivenPlan: boolean;
  /** Until an account has a plan, a given one where that is asked for, and a confirmed address likewise. */
  atFirst: { uploadBytesPerDay: number; accountBytes: number; accountFiles: number; accountRows: number };
  /** Of calls whose bodies are in memory at once; those of uploads are not. */
  bodyBytes: { perAddress: number; perProcess: number };
  uploadsAtOnce: number;
  /** Requests of one account that bring files or a list of them. */
  uploadsPerMinute: number;
  downloadsAtOnce: { perAccount: number; perProcess: number };
  /** Releases, exports and tables of one account that are put together to be saved. */
  downloadsPerMinute: number;
  /**
   * Whoever has taken less than this on the average is cut off, once we have waited for them for `patienceMs`; whoever has
   * taken less than `givesWayBelow` is so when an account without a download finds no place.
   */
  slowestDownload: { bytesPerSecond: number; patienceMs: number; givesWayBelow: number };
  socketsPerAccount: number;
  socketsPerAddress: number;
  /** Of one address. */
  socketsOpenedPerMinute: number;
  accessTokenSeconds: number;
  minFreeDiskBytes: number;
};

/** Addresses of the installation, built from the environment once (server/boot/env/env.ts). */
export type Addresses = {
  publicUrl: string;
  sitesDomain: string;
  /** A site's address for people: scheme, name and port, with `{slug}` for its own part of the name. */
  sitesUrl: string;
  /** The port at which domains with a certificate are served; none where TLS has no port of its own. */
  sitesTlsPort?: number | undefined;
  /** The port at which the host answers without TLS, on all of its addresses; unknown where absent. */
  sitesHttpPort?: number | undefined;
  /** Our own requests to our own host connect here, since not every resolver knows `*.localhost`. */
  sitesListener: { protocol: 'http:' | 'https:'; host: string; port: number };
  supportEmail: string;
  /** The recipient of what people write through the contact form. */
  operatorEmail: string;
  /** TRUST_PROXY: how many proxies in front add to `X-Forwarded-For`; none when absent. */
  trustedProxies?: number;
};

/** Opens the credentials of one destination: its own connection's, and a second one's where its options name that. */
export type CredentialsOf = (
  accountId: string,
  destination: { connectionId?: string | null | undefined; options?: unknown },
) => Credentials;

/** Every adapter a service may need, behind its interface. Built in server/boot/providers.ts alone. */
export type Providers = {
  addresses: Addresses;
  /** Where the records of a domain on the built-in host lead. */
  sitesAddresses(): Promise<SitesAddresses>;
  limits: Limits;
  store: ArtifactStore;
  zips: ZipIntake;
  /** How much more the database may grow before what is not needed is refused. */
  databaseSpace: { freeBytes(): Promise<number> };
  platforms: PlatformRegistry;
  dnsProviders: DnsProviderRegistry;
  /** The way out to addresses that somebody else chose. */
  egress: Egress;
  /** What a diagnosis needs of the network besides requests. */
  reach: Reach;
  /** Asks what the DNS of the world says of a name. */
  dns: DnsClient;
  /** Links by which DNS providers set records up; absent where the operator is not known to them. */
  domainConnect?: (DomainConnect & { serviceId: string }) | undefined;
  /** Signs the certificates of domains. */
  authority: CertificateAuthority;
  /** The authority's directory for trials, in which renewals are rehearsed; absent without one. */
  staging?: CertificateAuthority | undefined;
  credentialsOf: CredentialsOf;
  /** Where the operator has registered Fairlead, people sign in at the platform instead of pasting a token. */
  signIn: SignInRegistry;
  /** Resolves after `ms`; rejects with the reason of the signal. Tests wait for nothing. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  mailer: Mailer;
  /** Takes the money for plans. */
  payments: PaymentService;
  hasher: PasswordHasher;
  secrets: Secrets;
  changes: ChangeFeed;
  /** Counts over all processes of this instance. */
  rateCounters: RateCounters;
  log: Log;
  now(): Date;
  /** Ends the process at one point, in a test of crashes; no running installation has it. */
  faults?: Faults;
};

/** Called at each boundary of a job's work; may never return. */
export type Faults = { at(boundary: string): Promise<void> };

/** Cookies that a browser holds for us besides the bearer token. Services read and write them without knowing HTTP. */
export type JarName = 'refresh' | 'device' | 'disclaimer';
export type CookieJar = {
  read(name: JarName): string | undefined;
  /** `null` clears it. */
  write(name: JarName, value: string | null): void;
};

/** The origin of a call: for throttling, the session list and warnings. */
export type CallOrigin = {
  /** Client address after `TRUST_PROXY` hops; IPv6 shortened to its /64. */
  address: string;
  userAgent: string;
  /** The bearer token as sent, also when it is no longer good: logout still finds its session by it. */
  bearer: string | undefined;
};

/** The open WebSocket that subscriptions run on. */
export type SubscriptionConnection = {
  /** Counts a subscription that begins to run, until the function that it answers is called; one too many closes the socket. */
  countSubscription(): () => void;
  /** Resolves once the reader has taken most of what was sent to it, so that a slow one fills no memory here. */
  whenWritable(signal: AbortSignal | undefined): Promise<void>;
  /** Closes the connection of an actor whose session or token is over. */
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
  connection?: SubscriptionConnection | undefined;
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
