import type { PlatformId } from '../../routers/schemas/platforms/index.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import type { ArtifactStore } from '../artifacts/store.ts';

/**
 * A platform is where a deployment lives. An adapter is a set of functions without state of its own: what must survive
 * a crash is a small JSON reference (`PlatformRef`) that the caller stores as soon as `publish` yields it, and hands
 * back when it runs again. So every operation may be called twice, and the second call continues.
 *
 * The story of a release: `publish` yields `ref` before anything is made, then `uploading` while it sends what is
 * missing, then `processing` until the platform says that it is done, and returns the final reference. The caller then
 * fetches the site itself: only that makes a release live. An unknown state of a platform means "wait", never "failed".
 *
 * Services and screens ask `capabilities`, never which platform it is.
 */
export type PlatformRef = Record<string, string | number | boolean | null>;

export type PlatformCapabilities = {
  publish: 'upload' | 'viaGit' | 'handOff';
  requires: readonly ('connection' | 'githubConnection' | 'paymentThere' | 'publicFiles')[];
  digest: 'sha1' | 'sha256' | 'gitBlob' | 'sha256Archive' | 'none';
  transfer: 'perFile' | 'inlineAndBlobs' | 'archive';
  limits: { maxFiles?: number; maxFileBytes?: number; maxTotalBytes?: number; parallelUploads: number };
  immutableUrl: boolean;
  rollback: 'any' | 'eligible' | 'byCommit' | 'none';
  cancel: boolean;
  resume: 'byDigest' | 'byId' | 'startAgain';
};

/** What every operation gets: nothing in it outlives the call. */
export type PlatformCall = {
  deployment: { id: string; slug: string };
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
  | { type: 'ref'; ref: PlatformRef }
  | { type: 'uploading'; done: number; total: number; doneBytes: number; totalBytes: number; text?: string }
  | { type: 'processing'; text: string };

export interface Platform {
  readonly id: PlatformId;
  readonly capabilities: PlatformCapabilities;
  /** Resumes from `request.ref`; throws AppError (`platform_failed` and its kin); stops at `call.signal`. */
  publish(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, PlatformRef>;
  /** Makes an earlier release the public one again; present exactly when `capabilities.rollback` is not `none`. */
  restore?(call: PlatformCall, ref: PlatformRef): Promise<void>;
  /** Takes the deployment away from the platform. What is gone already is no error. */
  remove(call: PlatformCall): Promise<void>;
}

export type PlatformRegistry = Partial<Record<PlatformId, Platform>>;
