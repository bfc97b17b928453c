import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';
import type { Network } from '../service-context.ts';

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
 * Services and screens ask `capabilities`, never which platform it is. Operations on domains and certificates, and the
 * capabilities that go with them, come with the first platform whose suite can exercise them.
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
}

export type PlatformRegistry = Partial<Record<PlatformId, Platform>>;
