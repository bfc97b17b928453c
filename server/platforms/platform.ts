import type { PlatformCapabilities } from '../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import type { ConnectionProvider, HostingPlatform, PlatformId } from '../../routers/schemas/platforms/ids.ts';
import type { PlatformOptions } from '../../routers/schemas/platforms/options.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { AppError } from '../lib/errors.ts';
import type { SpoolFile } from '../store/intake.ts';
import type { Manifest } from '../store/manifest.ts';
import type { ArtifactStore } from '../store/store.ts';
import type { DomainAnswer } from './domain-answers.ts';

/**
 * A platform is where a deployment lives. A deployment has destinations: each names a platform, the connection whose
 * token opens it, the team there (`target`), the options that a person chose, and the site that was made there. An
 * adapter works for one destination at a time and knows nothing of the others.
 *
 * An adapter is a set of functions without state of its own, made by a factory with the address of the platform's API
 * (`netlify({ apiUrl })`). What must survive a crash is a small JSON reference, which the caller stores as soon as an
 * operation yields it, and hands back when the operation runs again: `site` is kept with the destination, `ref` with
 * the release. So every operation may be called twice, and the second call continues.
 *
 * The story of a release. `publish` looks for its site and makes it when there is none (`site`), yields `ref` before
 * anything is sent, then `uploading` while it sends what is missing, then `processing` until the platform says that it
 * is done, and returns the final reference. A platform with `draft` has the release at an address of its own by now,
 * and `restore` makes it the public one; without, publishing was going public. The caller then fetches the site itself,
 * by what `capabilities.serving` promises: only being seen makes a release live.
 *
 * A wait is not work. Where the platform needs more than a few seconds, the operation yields `waiting` with the time to
 * come back, and the caller leaves: the job goes back to the queue, and later calls the same operation again with the
 * stored reference. `waitUntilDone` does that for a state that is polled. An unknown state means "wait", never
 * "failed"; `limits.releaseMs` is the deadline that decides, and the caller's. Where a person has to finish, `waiting`
 * says `forPerson`: the job comes back when they confirm, and the address that they gave is in `request.confirmedUrl`.
 *
 * Requests go through server/platforms/http.ts: `ask` for what may be repeated, `makeOnce` for what creates, which looks
 * first, by `destination.id` or the release's id, for what an earlier run has made. Only a request that says `withToken`
 * carries the token, and only to the API's own origin. Errors are sorted once (server/platforms/failures.ts): one with
 * `retryAfterMs`, `platform_down` and `out_of_sync` may pass and bring the job back to the same step; every other is
 * final. Each names the platform and the remedy. `platform_place_gone` says that the site was deleted there.
 *
 * The story of a domain. Once there is a site, `attachDomain` gives it the name and answers the records that the
 * person's DNS needs; asked again, it answers the same. `domain` then answers three questions that do not wait for one
 * another: is the name the person's, does its DNS lead there, is there a certificate. Hours may lie between them, so the
 * caller comes back and asks again, and adds the platform's word to its own checks of DNS and TLS. `detachDomain` gives
 * back the name and the counterpart that came with it.
 *
 * To add one: `routers/schemas/platforms/<id>.ts`, its texts in `…/setups.ts`, `…/capabilities/<id>.ts` and its options in
 * `…/options.ts`; a folder here with `index.ts` (the factory), `api.ts` (typed calls, answers parsed by zod, the
 * vendor's page above each) and pure files beside them; one line in server/platforms/index.ts; a stand-in in
 * tests/support/standins/<id>/ and `platformSuite` over it in tests/platforms/<id>.test.ts.
 */
export type PlatformRef = Record<string, string | number | boolean | null>;

/** One account's way to open a platform. */
export type Credentials = {
  /**
   * The token of the destination's connection to this platform, renewed where it ends. Most adapters ask for their own
   * alone; one with `furtherConnections` asks for theirs as well. Throws `credentials_invalid` where there is no such connection.
   */
  tokenOf(platform: HostingPlatform): Promise<string>;
  /** The platform accepts it no more: the connection is shown as broken, with the reason. */
  refused(platform: HostingPlatform, error: AppError): Promise<void>;
};

/** The input of every operation; nothing in it outlives the call. */
export type ConnectionCall = {
  egress: Egress;
  credentials: Credentials;
  signal: AbortSignal;
  now(): Date;
  /** Resolves after `ms`; rejects with the reason of the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Of a release's job: whether its worker is to be held so long for the platform's pace. */
  mayHold?(ms: number): boolean;
};

export type PlatformCall = ConnectionCall & {
  store: ArtifactStore;
  destination: PlatformDestination;
  /** For an archive that is written before it is sent: gone when it is closed, or with this process. */
  openSpool(): Promise<SpoolFile>;
  patience: Patience;
};

/**
 * How long a run stays with what the platform is not done with, over all runs of one job. `what` tells one wait from the
 * next: what is waited for first is looked for as long as ever, however long the wait before was.
 */
export type Patience = {
  /** How long it looks again and again; 0 for one look, where a run before has left for the same. */
  lookingMs(what: string): number;
  /** The run leaves. Returns how long the job rests until the next look: longer each time. */
  leave(what: string): number;
};

export type PlatformDestination = {
  /** Ours: marks what is made there, so that it is found again. */
  id: string;
  /** The name to ask for; another like it where it is taken. */
  slug: string;
  isSinglePage: boolean;
  /** The team, owner or workspace that was chosen of `listTargets`; null for the token's own. */
  target: string | null;
  options: PlatformOptions;
  /** The site as `publish` named it; null while there is none. */
  site: PlatformRef | null;
};

export type PublishRequest = {
  release: { id: string; number: number };
  manifest: Manifest;
  manifestHash: string;
  /** How far an earlier run of the same release came, or null. */
  ref: PlatformRef | null;
  /**
   * The release that visitors have at this destination now, where it was published through here: only what differs need
   * be sent.
   */
  previous: { ref: PlatformRef; manifest: Manifest } | null;
  /** SHA-1 of these contents by their SHA-256, known since they were uploaded: nothing is read again for it. */
  sha1Of(sha256s: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The address that a person gave after they finished a hand-off, or null. */
  confirmedUrl: string | null;
};

export type RestoreRequest = {
  ref: PlatformRef;
  /** One act of going public: the same when it continues after a wait or a crash, another for every later act. */
  actId: string;
};

/** `site`: what is known of the place, from the name on under which it is asked for (wanted-name.ts); null where nothing is. */
export type PublishEvent =
  | { type: 'site'; site: PlatformRef | null }
  | { type: 'ref'; ref: PlatformRef }
  | { type: 'uploading'; done: number; total: number; doneBytes: number; totalBytes: number; text?: string }
  | { type: 'processing'; text: string }
  | { type: 'waiting'; text: string; retryAfterMs: number; forPerson?: boolean };
export type RestoreEvent = Exclude<PublishEvent, { type: 'site' | 'uploading' }>;

/** The states of a release; `verifying`: the platform is done, and it is our turn. */
export type PlatformState = 'preparing' | 'uploading' | 'processing' | 'verifying' | 'failed' | 'cancelled';

export type PlatformRelease = {
  state: PlatformState;
  text: string | null;
  /** What a person can do about a release that failed, where it is not what all such releases need. */
  remedy?: string;
  /** The public address, and the release's own; null where Fairlead's own host serves it, or there is none yet. */
  url: string | null;
  ownUrl: string | null;
};

export type ConnectionInfo = {
  /** The account there, for a person. */
  identity: string;
  /**
   * What the platform itself knows that account by, so that another token of it is recognized. Left out where it does
   * not tell, and where tokens of one account open different parts of it.
   */
  subject?: string | null | undefined;
  /** Obstacles to publishing although the credential is accepted. */
  warnings: readonly string[];
  /** The end of the token's life, where the platform tells it. */
  expiresAt?: Date | null;
};
export type Target = { id: string; name: string };
/** `knownUrl`: where an earlier release was seen; null before the first. */
export type HandOffRequest = Pick<PublishRequest, 'release'> & { knownUrl: string | null };
/** The steps that a person takes where no API can, in their order. */
export type HandOff = {
  steps: readonly { text: string; url?: string }[];
  /** Says where to find the address of the published site, to who entered one that cannot be it. */
  addressHint: string;
  /** Files that the platform reads, added to the archive that the person takes there. */
  files?: readonly { path: string; text: string }[];
};

/** A record that the person's DNS has to answer. */
export type DomainRecord = {
  type: 'A' | 'AAAA' | 'ALIAS' | 'CNAME' | 'TXT' | 'CAA';
  /** The whole name, without a dot at its end. */
  name: string;
  value: string;
  /** The time to live is in seconds. */
  ttl: number;
  purpose: 'route' | 'proof' | 'certificate';
  /** Nothing works without it; of a group, without one kind of it. */
  required: boolean;
  /** Records of one group stand in for one another: all of one type are made, whichever the DNS provider has. */
  alternativeGroup: string | null;
};

export type AttachedDomain = {
  records: readonly DomainRecord[];
  /** Names that the platform added by itself: `www` or what is below it. */
  counterparts: readonly string[];
  /** What is left to the person, where the platform's own pages alone tell what a record has to say. */
  steps?: HandOff['steps'];
};

/** The platform's view of a domain, one field a question. */
export type PlatformDomain = {
  ownership: DomainAnswer;
  dns: DomainAnswer;
  /** `expiresAt` is null until it is issued, and where the platform does not tell. */
  certificate: DomainAnswer & { expiresAt: Date | null };
};

export interface Platform {
  readonly id: PlatformId;
  readonly capabilities: PlatformCapabilities;
  /** Where a person makes a token, when that follows from the address of the API. */
  readonly tokenPage?: string;
  /** Returns who the credential is there, and what stands in the way of publishing. */
  verify(call: ConnectionCall): Promise<ConnectionInfo>;
  /** Teams, owners or workspaces to publish under; none when there is no choice. */
  listTargets(call: ConnectionCall): Promise<readonly Target[]>;
  /** Resumes from `request.ref`; stops at `call.signal` with its reason. */
  publish(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, PlatformRef>;
  release(call: PlatformCall, ref: PlatformRef): Promise<PlatformRelease>;
  /** Ends a release that is on its way; what is over is no error. Present exactly when `capabilities.cancel`. */
  cancel?(call: PlatformCall, ref: PlatformRef): Promise<void>;
  /**
   * Makes this release the public one, and is done when the platform says so. Answers the reference as it is from then
   * on. Present when `capabilities.rollBack` or `capabilities.draft`.
   */
  restore?(call: PlatformCall, request: RestoreRequest): AsyncGenerator<RestoreEvent, PlatformRef>;
  /** Returns the platform's own log of a release, as text. Present exactly when `capabilities.log`. */
  readLog?(call: PlatformCall, ref: PlatformRef): Promise<string>;
  /** Returns what is left to the person. Present exactly when `capabilities.publish` is `handOff`. */
  handOff?(call: Pick<PlatformCall, 'destination'>, request: HandOffRequest): HandOff;
  /**
   * Takes the deployment away from the platform, with a place that a killed run has made and only noted the name of. What
   * is gone already is no error. Returns where people find what the credential may not delete, and nobody visits any more.
   */
  remove(call: PlatformCall): Promise<string | undefined>;
  /**
   * Gives this host name (lower case, ASCII) to the site. Throws `domain_taken` when another site has it, `plan_limit`
   * when the site may have no more. Present, as the next two, exactly when `capabilities.domain` names records that do
   * not come `fromPerson`.
   */
  attachDomain?(call: PlatformCall, name: string): Promise<AttachedDomain>;
  /** Returns where it stands. A name that is not attached is an answer, not an error. */
  domain?(call: PlatformCall, name: string): Promise<PlatformDomain>;
  /** Takes the name off the site, with the counterpart that came with it. What is gone already is no error. */
  detachDomain?(call: PlatformCall, name: string): Promise<void>;
  /**
   * Orders the certificate, once `domain` answers `certificate_missing`; one that is there or on its way is left alone.
   * Absent where the platform makes certificates by itself.
   */
  requestCertificate?(call: PlatformCall, name: string): Promise<void>;
}

/** The base address of each API that takes a credential. */
export type PlatformUrls = Record<ConnectionProvider, string>;

export type PlatformRegistry = Partial<Record<PlatformId, Platform>>;

/** Fairlead as the operator has registered it at a platform. */
export type OAuthClient = {
  provider: ConnectionProvider;
  id: string;
  secret: string;
  endpoints: { authorize: string; token: string };
  /** The rights to ask for; left out where there is one for everything, or they are named at registration. */
  scope?: string | undefined;
};
export type OAuthClients = Partial<Record<ConnectionProvider, OAuthClient>>;

export type OAuthTokens = {
  token: string;
  /** Null where the token does not end. */
  refreshToken: string | null;
  expiresAt: Date | null;
};
export type OAuthCall = Pick<ConnectionCall, 'egress' | 'signal' | 'now'>;

/**
 * Sign-in at a platform in place of a token by hand: authorization code with PKCE (RFC 6749, section 4.1; RFC 7636) and
 * refresh (RFC 6749, section 6). `verifier` is a random text of 43 to 128 characters that stays here. Both requests
 * throw `credentials_invalid` when the platform refuses what they bring, `overloaded`, and else `platform_down`.
 */
export type PlatformSignIn = {
  /** Returns where the person's browser goes to agree. */
  authorizeUrl(asked: { state: string; verifier: string; redirectUri: string }): string;
  exchangeCode(call: OAuthCall, granted: { code: string; verifier: string; redirectUri: string }): Promise<OAuthTokens>;
  refresh(call: OAuthCall, refreshToken: string): Promise<OAuthTokens>;
};
export type SignInRegistry = Partial<Record<ConnectionProvider, PlatformSignIn>>;
