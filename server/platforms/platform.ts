import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import type { Network } from '../service-context.ts';
import type { DomainAnswer } from './domain-answers.ts';

/**
 * A platform is where a deployment lives. An adapter is a set of functions without state of its own: what must survive
 * a crash is a small JSON reference that the caller stores as soon as `publish` yields it, and hands back when it runs
 * again. There are two: `site`, kept with the deployment, and `ref`, kept with the release. So every operation may be
 * called twice, and the second call continues (platform facts, 8.1).
 *
 * The story of a release: `publish` looks for its site and makes it when there is none, yields `ref` before anything is
 * sent, then `uploading` while it sends what is missing, then `processing` until the platform says that it is done, and
 * returns the final reference. `waiting` says that nothing can be done for a while: the caller may leave and come back
 * with the reference, or walk on, which waits. A platform with `draft` has the release at its own address by now and
 * `restore` makes it the public one; without, publishing was going public. The caller then fetches the site itself:
 * only that makes a release live. An unknown state of a platform means "wait", never "failed"; `limits.releaseMs` is
 * the deadline that decides.
 *
 * What creates is never repeated blindly: its adapter looks first, by a key of ours (server/platforms/http.ts). Errors
 * are sorted once (server/platforms/failures.ts): one with `retryAfterMs`, `platform_down` and `out_of_sync` may pass
 * and bring the job back to the same step; every other is final. Each names the platform and the remedy.
 *
 * The story of a domain: once there is a site, `attachDomain` gives it the name and answers the records that the
 * person's DNS needs; asked again, it answers the same. `domain` then answers three questions that do not wait for one
 * another: is the name the person's, does its DNS lead there, is there a certificate. Hours may lie between them, so the
 * caller comes back and asks again. It adds the platform's word to its own checks of DNS and TLS, which that word never
 * replaces (platform facts, 8.4). `detachDomain` gives back the name and the twin that came with it. Where the records
 * come `fromPerson` there is no API to ask: a person links the name there and brings the records, the rest is our checks.
 *
 * Services and screens ask `capabilities`, never which platform it is. The facts' flag `environment` is left out:
 * nothing in a site of files reads an environment, so no operation would set one.
 */
export type PlatformRef = Record<string, string | number | boolean | null>;

/** What an adapter can do, as data: platform facts, 8.2. */
export type PlatformCapabilities = {
  publish: 'upload' | 'viaGit' | 'handOff';
  /** Said before the first click. */
  requires: readonly ('connection' | 'githubConnection' | 'paymentThere' | 'publicFiles')[];
  digest: 'sha1' | 'sha256' | 'gitBlob' | 'sha256Archive' | 'none';
  transfer: 'perFile' | 'inlineAndBlobs' | 'archive';
  limits: {
    /** Checked before anything is sent, naming the file. */
    maxFiles?: number;
    maxFileBytes?: number;
    maxTotalBytes?: number;
    parallelUploads: number;
    /** How long a release may take there from its start. */
    releaseMs: number;
    /** How long the edge may go on serving the old files after the platform said that it is done. */
    settleMs: number;
  };
  /** Names that the platform does not take. */
  refusedNames: RegExp | null;
  /** Files that the platform reads instead of serving, and that the adapter adds or translates. */
  specialFiles: readonly string[];
  basePath: 'root' | 'repositoryFolder';
  /** Each release keeps an address of its own. */
  immutableUrl: boolean;
  /** `publish` leaves the public address as it is, and `restore` changes it. */
  draft: boolean;
  rollback: 'any' | 'eligible' | 'byCommit' | 'none';
  cancel: boolean;
  log: 'none' | 'message' | 'text' | 'stream';
  resume: 'byDigest' | 'byId' | 'startAgain';
  /** Null where the platform takes no names of the person's own. */
  domain: DomainCapabilities | null;
};

export type DomainCapabilities = {
  /** Known beforehand, answered by the platform, or read there by a person: then no operation is there. */
  records: 'fixed' | 'fromApi' | 'fromPerson';
  /** What leads there a name that cannot be a CNAME: decides what to say when the DNS provider lacks ALIAS. */
  apex: 'a' | 'aliasOrA' | 'aliasOnly' | 'aAndTxt';
  /** When a TXT record has to show that the name is the person's. */
  proof: 'none' | 'txtWhenTaken' | 'txtAlways';
  /** Whether `www` comes with the name below it, and the other way round. */
  twin: 'automatic' | 'manual';
  /** Names of one site; null where the platform does not say. */
  max: number | null;
  certificate: {
    /** `full`: state and end; `perDomain`: the state alone; `none`: only a look by TLS tells. */
    status: 'full' | 'perDomain' | 'none';
    request: 'call' | 'automatic';
  };
};

/** What every operation gets: nothing in it outlives the call. */
export type PlatformCall = Network & {
  deployment: { id: string; slug: string };
  /** What `publish` named the site by, or null while there is none. */
  site: PlatformRef | null;
  /** The connection's token; null where `requires` names no connection. */
  credential: string | null;
  /** The team, owner or workspace that was chosen of `listTargets`; null for the token's own. */
  target: string | null;
  store: ArtifactStore;
  signal: AbortSignal;
  now(): Date;
};

export type PublishRequest = {
  release: { id: string; number: number };
  manifest: Manifest;
  manifestHash: string;
  /** What an earlier run of the same release got to, or null. */
  ref: PlatformRef | null;
};

export type PublishEvent =
  | { type: 'site'; site: PlatformRef }
  | { type: 'ref'; ref: PlatformRef }
  | { type: 'uploading'; done: number; total: number; doneBytes: number; totalBytes: number; text?: string }
  | { type: 'processing'; text: string }
  | { type: 'waiting'; text: string; retryAfterMs: number };

/** The product's states of a release; `verifying`: the platform is done, and it is our turn (platform facts, 8.3). */
export type PlatformState = 'preparing' | 'uploading' | 'processing' | 'verifying' | 'failed' | 'cancelled';

export type PlatformRelease = {
  state: PlatformState;
  /** The platform's own words. */
  text: string | null;
  /** The public address, and the release's own; null where Fairlead's own host serves it, or there is none yet. */
  url: string | null;
  ownUrl: string | null;
};

export type ConnectionInfo = { identity: string; warnings: readonly string[] };
export type Target = { id: string; name: string };
/** What a person does where no API can, in its order. */
export type HandOff = { steps: readonly { text: string; url?: string }[] };

/** What the person's DNS has to answer. */
export type DomainRecord = {
  type: 'A' | 'AAAA' | 'ALIAS' | 'CNAME' | 'TXT' | 'CAA';
  /** The whole name, without a dot at its end. */
  name: string;
  value: string;
  /** In seconds. */
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
  twins: readonly string[];
};

/** The platform's word on a domain, a question at a time: platform facts, 8.4. */
export type PlatformDomain = {
  ownership: DomainAnswer;
  dns: DomainAnswer;
  /** `expiresAt` is null until it is issued, and where the platform does not tell. */
  certificate: DomainAnswer & { expiresAt: Date | null };
};

export interface Platform {
  readonly id: PlatformId;
  readonly capabilities: PlatformCapabilities;
  /** Who the credential is there, and what stands in the way of publishing. */
  verify(call: PlatformCall): Promise<ConnectionInfo>;
  /** Teams, owners or workspaces to publish under; none when there is no choice. */
  listTargets(call: PlatformCall): Promise<readonly Target[]>;
  /** Resumes from `request.ref`; stops at `call.signal` with its reason. */
  publish(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, PlatformRef>;
  release(call: PlatformCall, ref: PlatformRef): Promise<PlatformRelease>;
  /** Ends a release that is on its way; what is over is no error. Present exactly when `capabilities.cancel`. */
  cancel?(call: PlatformCall, ref: PlatformRef): Promise<void>;
  /** Makes this release the public one, done when the platform says so. Present unless `capabilities.rollback` is `none`. */
  restore?(call: PlatformCall, ref: PlatformRef): Promise<void>;
  /** What is left to the person. Present exactly when `capabilities.publish` is `handOff`. */
  handOff?(call: PlatformCall, request: PublishRequest): HandOff;
  /** Takes the deployment away from the platform. What is gone already is no error. */
  remove(call: PlatformCall): Promise<void>;
  /**
   * Gives this host name (lower case, ASCII) to the site. Throws `domain_taken` when another site has it, `plan_limit`
   * when the site may have no more. Present, as the next two, exactly when `capabilities.domain` names records that do
   * not come `fromPerson`.
   */
  attachDomain?(call: PlatformCall, name: string): Promise<AttachedDomain>;
  /** Where it stands. A name that is not attached is an answer, not an error. */
  domain?(call: PlatformCall, name: string): Promise<PlatformDomain>;
  /** Takes the name off the site, with the twins that came with it. What is gone already is no error. */
  detachDomain?(call: PlatformCall, name: string): Promise<void>;
  /**
   * Orders the certificate, once `domain` answers `certificate_missing`; one that is there or on its way is left alone.
   * Present exactly when the other three are and `certificate.request` is `call`.
   */
  requestCertificate?(call: PlatformCall, name: string): Promise<void>;
}

export type PlatformRegistry = Partial<Record<PlatformId, Platform>>;
