import type { PlatformCapabilities } from '../../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import type { ConnectionProvider, HostingPlatform, PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import type { PlatformOptions } from '../../../routers/schemas/platforms/options.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import type { AppError } from '../../lib/errors.ts';
import type { SpoolFile } from '../../store/intake.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import type { DomainAnswer } from './domain-answers.ts';

/**
 * A platform is where a deployment lives. A deployment has destinations: each names a platform, the connection whose
 * token opens it, the team there (`target`), the options that a person chose, and the site that was made there. An
 * adapter works for one destination at a time and knows nothing of the others.
 *
 * An adapter is a set of functions without state of its own, made by a factory with the address of the platform's API
 * (`netlify({ apiUrl })`). State that must survive a crash is a small JSON reference, which the caller stores as soon as
 * an operation yields it, and passes back when the operation runs again: `site` is stored with the destination, `ref`
 * with the release. So every operation may be called twice, and the second call continues.
 *
 * The story of a release. `publish` looks for its site and makes it when there is none (`site`), yields `ref` before
 * anything is sent, then `uploading` while it sends missing files, then `processing` until the platform has finished, and
 * returns the final reference. A platform with `draft` has the release at an address of its own by now, and `restore`
 * makes it the public one; without `draft`, publishing made it public. The caller then fetches the site itself, and
 * expects what `capabilities.serving` promises: a release is live only once it was seen.
 *
 * Waiting is not work. If the platform needs more than a few seconds, the operation yields `waiting` with the time of
 * the next try, and the caller leaves: the job goes back to the queue, and later calls the same operation again with the
 * stored reference. `waitUntilDone` does that for a state that is polled. An unknown state means "wait", never "failed";
 * the caller applies the deadline, `limits.releaseMs`. If a person has to finish, `waiting` says `forPerson`: the job
 * returns when they confirm, and their address is in `request.confirmedUrl`.
 *
 * Requests go through server/publishing/platforms/http.ts: `ask` for repeatable ones, `makeOnce` for those that create, which first
 * looks for the result of an earlier run, by `destination.id` or the release's id. Only a request with `withToken`
 * carries the token, and only to the API's own origin. Errors are sorted once (server/publishing/platforms/failures.ts): those with
 * `retryAfterMs`, `platform_down` and `out_of_sync` may pass and bring the job back to the same step; all others are
 * final. Each names the platform and the remedy. `platform_place_gone` says that the site was deleted there.
 *
 * The story of a domain. Once there is a site, `attachDomain` adds the name and returns the records that the person's
 * DNS needs; called again, it returns the same. `domain` then answers three independent questions: does the name belong
 * to the person, does its DNS point there, and is there a certificate? Hours may lie between the answers, so the caller
 * asks again, and adds its own checks of DNS and TLS. `detachDomain` removes the name and the counterpart that came with
 * it.
 *
 * To add one: `routers/schemas/platforms/<id>.ts`, its texts in `…/setups.ts`, `…/capabilities/<id>.ts` and its options in
 * `…/options.ts`; a folder here with `index.ts` (the factory), `api.ts` (typed calls, answers parsed by zod, the
 * vendor's page above each) and pure files beside them; one line in server/publishing/platforms/index.ts; a stand-in in
 * tests/support/standins/<id>/ and `platformSuite` over it in tests/platforms/<id>.test.ts.
 */
export type PlatformRef = Record<string, string | number | boolean | null>;

/** Gives access to one account at a platform. */
export type Credentials = {
  /**
   * Returns the token of the destination's connection to this platform, refreshed if need be. Most adapters ask for
   * their own alone; one with `furtherConnections` asks for theirs as well. Throws `credentials_invalid` when there is
   * no such connection.
   */
  tokenOf(platform: HostingPlatform): Promise<string>;
  /** Reports that the platform no longer accepts the token: the connection is shown as broken, with the reason. */
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
  /** Returns whether a release's job may hold its worker for that long when the platform asks it to wait. */
  mayHold?(ms: number): boolean;
};

export type PlatformCall = ConnectionCall & {
  store: ArtifactStore;
  destination: PlatformDestination;
  /**
   * Opens a file for an archive that is written before it is sent; it is gone when it is closed, or with this process.
   */
  openSpool(): Promise<SpoolFile>;
  patience: Patience;
};

/**
 * Decides how long a run waits for the platform, over all runs of one job. `what` distinguishes one wait from the
 * next: a new wait starts with full patience, however long the one before took.
 */
export type Patience = {
  /** Returns how long to keep polling; 0 for one check, when an earlier run has left for the same thing. */
  lookingMs(what: string): number;
  /** Says that the run leaves. Returns how long the job rests until the next check: longer each time. */
  leave(what: string): number;
};

export type PlatformDestination = {
  /** Our own id, which marks everything that is made there, so that it is found again. */
  id: string;
  /** The name to request; a similar one if it is taken. */
  slug: string;
  isSinglePage: boolean;
  /** The chosen team, owner or workspace from `listTargets`; null for the token's own. */
  target: string | null;
  options: PlatformOptions;
  /** The site as `publish` recorded it; null while there is none. */
  site: PlatformRef | null;
};

export type PublishRequest = {
  release: { id: string; number: number };
  manifest: Manifest;
  manifestHash: string;
  /** The progress of an earlier run of the same release, or null. */
  ref: PlatformRef | null;
  /**
   * The release that visitors have at this destination now, if it was published through here: only the differences
   * need be sent.
   */
  previous: { ref: PlatformRef; manifest: Manifest } | null;
  /** Returns the SHA-1 of these contents by their SHA-256, both known since the upload, so nothing is read again. */
  sha1Of(sha256s: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The address that a person gave after they finished a hand-off, or null. */
  confirmedUrl: string | null;
};

export type RestoreRequest = {
  ref: PlatformRef;
  /** Identifies one act of going public: it stays the same after a wait or a crash, and differs for every later act. */
  actId: string;
};

/**
 * `site`: all that is known of the place, beginning with the name that is requested for it (wanted-name.ts); null when
 * nothing is.
 */
export type PublishEvent =
  | { type: 'site'; site: PlatformRef | null }
  | { type: 'ref'; ref: PlatformRef }
  | { type: 'uploading'; done: number; total: number; doneBytes: number; totalBytes: number; text?: string }
  | { type: 'processing'; text: string }
  | { type: 'waiting'; text: string; retryAfterMs: number; forPerson?: boolean };
export type RestoreEvent = Exclude<PublishEvent, { type: 'site' | 'uploading' }>;

/** The states of a release; `verifying`: the platform is done, and the caller checks the site. */
export type PlatformState = 'preparing' | 'uploading' | 'processing' | 'verifying' | 'failed' | 'cancelled';

export type PlatformRelease = {
  state: PlatformState;
  text: string | null;
  /** Advice about a failed release, when it is not the general one. */
  remedy?: string;
  /** The public address, and the release's own; null when Fairlead's own host serves it, or there is none yet. */
  url: string | null;
  ownUrl: string | null;
};

export type ConnectionInfo = {
  /** The account there, for a person. */
  identity: string;
  /**
   * The platform's id of that account, so that another token of it is recognized. Absent when the platform does not
   * reveal it, and when tokens of one account open different parts of it.
   */
  subject?: string | null | undefined;
  /** Obstacles to publishing although the credential is accepted. */
  warnings: readonly string[];
  /** The expiry of the token, if the platform reveals it. */
  expiresAt?: Date | null;
};
export type Target = { id: string; name: string };
/** `knownUrl` is the address of an earlier release; null before the first. */
export type HandOffRequest = Pick<PublishRequest, 'release'> & { knownUrl: string | null };
/** The steps that a person takes where there is no API, in order. */
export type HandOff = {
  steps: readonly { text: string; url?: string }[];
  /** Says where to find the address of the published site, for a person who entered an impossible one. */
  addressHint: string;
  /** Files that the platform reads, added to the archive that the person uploads there. */
  files?: readonly { path: string; text: string }[];
};

/** A record that the person's DNS must have. */
export type DomainRecord = {
  type: 'A' | 'AAAA' | 'ALIAS' | 'CNAME' | 'TXT' | 'CAA';
  /** The whole name, without a dot at its end. */
  name: string;
  value: string;
  /** The time to live is in seconds. */
  ttl: number;
  purpose: 'route' | 'proof' | 'certificate';
  /** The domain does not work without it; in a group, without one kind of it. */
  required: boolean;
  /**
   * Records of one group are alternatives: the person makes all those of one type, whichever the DNS provider
   * supports.
   */
  alternativeGroup: string | null;
};

export type AttachedDomain = {
  records: readonly DomainRecord[];
  /** Names that the platform added by itself: `www` or the domain below it. */
  counterparts: readonly string[];
  /** Steps for the person, where only the platform's own pages show the value of a record. */
  steps?: HandOff['steps'];
};

/** The platform's view of a domain, one field a question. */
export type PlatformDomain = {
  ownership: DomainAnswer;
  dns: DomainAnswer;
  /** `expiresAt` is null until it is issued, and when the platform does not reveal it. */
  certificate: DomainAnswer & { expiresAt: Date | null };
};

export interface Platform {
  readonly id: PlatformId;
  readonly capabilities: PlatformCapabilities;
  /** The page where a person makes a token, when it depends on the address of the API. */
  readonly tokenPage?: string;
  /** Returns the account of the credential, and what prevents it from publishing. */
  verify(call: ConnectionCall): Promise<ConnectionInfo>;
  /** Returns teams, owners or workspaces to publish under; empty when there is no choice. */
  listTargets(call: ConnectionCall): Promise<readonly Target[]>;
  /** Resumes from `request.ref`; stops at `call.signal` with its reason. */
  publish(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, PlatformRef>;
  release(call: PlatformCall, ref: PlatformRef): Promise<PlatformRelease>;
  /** Ends a running release; one that is over is no error. Present exactly when `capabilities.cancel`. */
  cancel?(call: PlatformCall, ref: PlatformRef): Promise<void>;
  /**
   * Makes this release the public one, and finishes when the platform confirms it. Returns the new reference. Present
   * when `capabilities.rollBack` or `capabilities.draft`.
   */
  restore?(call: PlatformCall, request: RestoreRequest): AsyncGenerator<RestoreEvent, PlatformRef>;
  /** Returns the platform's own log of a release, as text. Present exactly when `capabilities.log`. */
  readLog?(call: PlatformCall, ref: PlatformRef): Promise<string>;
  /** Returns the steps for the person. Present exactly when `capabilities.publish` is `handOff`. */
  handOff?(call: Pick<PlatformCall, 'destination'>, request: HandOffRequest): HandOff;
  /**
   * Removes the deployment from the platform, including a place that a killed run has made and only recorded by name.
   * A missing one is no error. Returns the address of anything that the credential may not delete and that is no
   * longer visited.
   */
  remove(call: PlatformCall): Promise<string | undefined>;
  /**
   * Adds this host name (lower case, ASCII) to the site. Throws `domain_taken` when another site has it, `plan_limit`
   * when the site may have no more. Present, as the next two, exactly when `capabilities.domain` names records that do
   * not come `fromPerson`.
   */
  attachDomain?(call: PlatformCall, name: string): Promise<AttachedDomain>;
  /** Returns the state of the name. One that is not attached is an answer, not an error. */
  domain?(call: PlatformCall, name: string): Promise<PlatformDomain>;
  /** Removes the name from the site, and the counterpart that came with it. A missing one is no error. */
  detachDomain?(call: PlatformCall, name: string): Promise<void>;
  /**
   * Orders the certificate, once `domain` answers `certificate_missing`; an existing or ordered one is left alone.
   * Absent when the platform makes certificates by itself.
   */
  requestCertificate?(call: PlatformCall, name: string): Promise<void>;
}

/** The base address of each API that takes a credential. */
export type PlatformUrls = Record<ConnectionProvider, string>;

export type PlatformRegistry = Partial<Record<PlatformId, Platform>>;

/** The app that the operator has registered at a platform. */
export type OAuthClient = {
  provider: ConnectionProvider;
  id: string;
  secret: string;
  endpoints: { authorize: string; token: string };
  /** The rights to request; absent when there is one for everything, or they are chosen at registration. */
  scope?: string | undefined;
};
export type OAuthClients = Partial<Record<ConnectionProvider, OAuthClient>>;

export type OAuthTokens = {
  token: string;
  /** Null when the token does not expire. */
  refreshToken: string | null;
  expiresAt: Date | null;
};
export type OAuthCall = Pick<ConnectionCall, 'egress' | 'signal' | 'now'>;

/**
 * Sign-in at a platform, in place of a pasted token: authorization code with PKCE (RFC 6749, section 4.1; RFC 7636)
 * and refresh (RFC 6749, section 6). `verifier` is a random text of 43 to 128 characters that stays here. Both
 * requests throw `credentials_invalid` when the platform refuses the grant, `overloaded`, and otherwise
 * `platform_down`.
 */
export type PlatformSignIn = {
  /** Returns the address where the person agrees in the browser. */
  authorizeUrl(asked: { state: string; verifier: string; redirectUri: string }): string;
  exchangeCode(call: OAuthCall, granted: { code: string; verifier: string; redirectUri: string }): Promise<OAuthTokens>;
  refresh(call: OAuthCall, refreshToken: string): Promise<OAuthTokens>;
};
export type SignInRegistry = Partial<Record<ConnectionProvider, PlatformSignIn>>;
