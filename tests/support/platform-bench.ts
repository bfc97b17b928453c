import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStore } from '../../server/artifacts/disk.ts';
import { encodeManifest, type Manifest } from '../../server/artifacts/manifest.ts';
import type { ArtifactStore } from '../../server/artifacts/store.ts';
import type {
  DomainRecord,
  Platform,
  PlatformCall,
  PublishEvent,
  PublishRequest,
} from '../../server/platforms/platform.ts';
import type { Fault, VendorStep } from '../../server/platforms/simulated/vendor/faults.ts';

/** The platform's side, where it is not ours: what a stand-in has seen, and how it is made to fail. */
export type PlatformWorld = {
  fetch: typeof globalThis.fetch;
  countSites(): Promise<number>;
  countReleases(): Promise<number>;
  /** What publishing asks of it: each of these can be made to fail. */
  steps: readonly VendorStep[];
  /** Contents that were sent, or tried to be, since the last question. */
  takeSent(): number;
  fail(step: VendorStep, fault: Fault, times?: number): void;
  /** Nothing fails any more. */
  heal(): void;
  /** What a person does there by hand, when the platform waits for one. */
  byHand?(call: PlatformCall, request: PublishRequest): Promise<void>;
  /** Where the platform can be given domains. */
  domains?: DomainWorld;
};

export type DomainWorld = {
  /** What each operation asks of it: each of these can be made to fail. */
  steps: Readonly<Record<'attach' | 'read' | 'detach' | 'request', readonly VendorStep[]>>;
  countNames(): Promise<number>;
  /** Certificates that were asked for. */
  countOrders(): Promise<number>;
  /** Another account has this domain. */
  take(name: string): Promise<void>;
  /** What a person enters at their DNS provider. */
  place(records: readonly DomainRecord[]): void;
};

export type PlatformUnderTest = {
  platform: Platform;
  /** Null for the built-in host, which asks nobody. */
  world: PlatformWorld | null;
  [Symbol.asyncDispose](): Promise<void>;
};

export type InWorld = PlatformUnderTest & { world: PlatformWorld };

/** One with a stand-in, for tests that look there. */
export async function inWorld(make: () => Promise<PlatformUnderTest>): Promise<InWorld> {
  const subject = await make();
  if (subject.world === null) throw new Error('This platform asks nobody: the test should not be here.');
  return { ...subject, world: subject.world };
}

export type PlatformBench = {
  call: PlatformCall;
  store: ArtifactStore;
  abort: AbortController;
  /** What was waited for, in ms: no time passes but in `call.now`. */
  waits: number[];
  /** Stores the files and describes a release of them. */
  release(number: number, files: Record<string, string>): Promise<PublishRequest>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function platformBench(world: PlatformWorld | null = null): Promise<PlatformBench> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-platform-'));
  const store = await createDiskStore({ folder, minFreeBytes: 0 });
  const abort = new AbortController();
  const waits: number[] = [];
  let passedMs = 0;
  return {
    store,
    abort,
    waits,
    call: {
      deployment: { id: 'd'.repeat(20), slug: 'a-site' },
      site: null,
      credential: 'a-secret-token',
      target: null,
      store,
      fetch: world?.fetch ?? (() => Promise.reject(new Error('This platform asks nobody.'))),
      signal: abort.signal,
      now: () => new Date(Date.now() + passedMs),
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        waits.push(ms);
        passedMs += ms;
      },
    },
    release: async (number, files) => {
      const manifest = new Map<string, { sha256: string; sizeBytes: number }>();
      for (const [path, text] of Object.entries(files)) {
        const { sha256, sizeBytes } = await store.writeWhole(Buffer.from(text));
        manifest.set(path, { sha256, sizeBytes });
      }
      return requestOf(store, number, manifest);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function requestOf(store: ArtifactStore, number: number, manifest: Manifest): Promise<PublishRequest> {
  const encoded = encodeManifest(manifest);
  const { sha256: manifestHash } = await store.writeWhole(encoded);
  const id = createHash('sha256').update(`release ${number}`).digest('hex').slice(0, 20);
  return { release: { id, number }, manifest, manifestHash, ref: null };
}

/** Keeps what an event names, as the caller of a platform does: the site in the call, the reference for the next run. */
function keep(call: PlatformCall, request: PublishRequest, event: PublishEvent): void {
  if (event.type === 'site') call.site = event.site;
  if (event.type === 'ref') request.ref = event.ref;
}

/** Runs `publish` to its end: every event in order, and what it returned. A person does their part when it waits. */
export async function published(
  platform: Platform,
  call: PlatformCall,
  request: PublishRequest,
  world: PlatformWorld | null = null,
) {
  const events: PublishEvent[] = [];
  const run = platform.publish(call, request);
  for (;;) {
    const next = await run.next();
    if (next.done) return { events, ref: next.value };
    events.push(next.value);
    keep(call, request, next.value);
    if (next.value.type === 'waiting') await world?.byHand?.(call, request);
  }
}

/** Runs `publish` up to its event number `count` and leaves it there for ever, as a process does that is killed. */
export async function killedAfter(
  platform: Platform,
  call: PlatformCall,
  request: PublishRequest,
  count: number,
): Promise<PublishEvent | undefined> {
  const killed = new AbortController();
  const run = platform.publish({ ...call, signal: killed.signal }, request);
  let last: PublishEvent | undefined;
  for (let seen = 0; seen < count; seen += 1) {
    const next = await run.next();
    if (next.done) break;
    last = next.value;
    keep(call, request, last);
  }
  killed.abort(new Error('killed'));
  await run.return({}).catch(() => undefined);
  return last;
}
