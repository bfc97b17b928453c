import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPatience } from '../../server/connections/patience.ts';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import type {
  DomainRecord,
  Platform,
  PlatformCall,
  PlatformRef,
  PublishEvent,
  PublishRequest,
} from '../../server/publishing/platforms/platform.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createZipIntake } from '../../server/store/intake.ts';
import { encodeManifest, type Manifest, type ManifestEntry } from '../../server/store/manifest.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { testEgress } from './platforms.ts';
import type { Fault, Step } from './standins/faults.ts';
import { type SeenRequest, type StandIn, TOKEN } from './standins/stand-in.ts';

/** The platform's side, where it is not ours: what a stand-in has seen, and how it is made to fail. */
export type PlatformWorld = {
  countSites(): Promise<number>;
  countReleases(): Promise<number>;
  /** All that was made there for us, where a site is not all of it. */
  countPlaces?(): Promise<number>;
  /** The steps that make a place, where `site` is not the only one. */
  makes?: readonly Step[];
  /** The steps of publishing, each of which can be made to fail. */
  steps: readonly Step[];
  /** All files of a release travel as one archive, whatever changed. */
  sendsArchive?: true;
  /** Uploads that run beside one another. */
  atOnce: number;
  /** Contents that were sent, or tried to be, since the last question. */
  takeSent(): number;
  fail(step: Step, fault: Fault, times?: number): void;
  /** Ends all faults. */
  heal(): void;
  /** The token of the connection opens nothing any more. */
  revoke(): void;
  /** Somebody deletes every site of ours there by hand. */
  deleteSites(): Promise<void>;
  /** Somebody else takes this name for a site. */
  takeName(name: string): Promise<void>;
  /** Counts requests by the clock of an adapter's calls. */
  keepTime?(now: () => Date): void;
  /** Deviations from the platform's description, and requests above its limits: empty at the end of every test. */
  drift: readonly string[];
  /** Does a person's part there by hand, when the platform waits for one. */
  byHand?(call: PlatformCall, request: PublishRequest): Promise<void>;
  /** Absent where the platform takes no domains. */
  domains?: DomainWorld;
};

/** The way in which a platform takes domains, by its documentation. */
export type DomainManner = {
  /** The kinds of record that lead a name there which cannot be a CNAME. */
  apex: readonly ('A' | 'ALIAS')[];
  /** Tells when a TXT record has to prove that the name is the person's. */
  proof: 'never' | 'whenTaken';
  /** Names per site; null where the platform does not say. */
  max: number | null;
  /** A certificate is made once it is asked for. */
  isCertificateAskedFor: boolean;
};

export type DomainWorld = {
  manner: DomainManner;
  /** The steps of each operation, each of which can be made to fail. */
  steps: Readonly<Record<'attach' | 'read' | 'detach' | 'request', readonly Step[]>>;
  countNames(): Promise<number>;
  /** Certificates that were asked for. */
  countOrders(): Promise<number>;
  /** Another account has this domain. */
  take(name: string): Promise<void>;
  /** Enters records as a person does at their DNS provider. */
  place(records: readonly DomainRecord[]): void;
};

export type PlatformUnderTest = {
  platform: Platform;
  /** Null for the built-in host, which asks no platform. */
  world: PlatformWorld | null;
  [Symbol.asyncDispose](): Promise<void>;
};

export type InWorld = PlatformUnderTest & { world: PlatformWorld };

/** One with a stand-in, for tests that look there. */
export async function inWorld(make: () => Promise<PlatformUnderTest>): Promise<InWorld> {
  const subject = await make();
  const { world } = subject;
  if (world === null) throw new Error('This platform asks nobody: the test should not be here.');
  return {
    ...subject,
    world,
    [Symbol.asyncDispose]: async () => {
      await subject[Symbol.asyncDispose]();
      if (world.drift.length > 0) throw new Error(`Adapter and description differ: ${world.drift.join('; ')}`);
    },
  };
}

export type PlatformHarness = {
  call: PlatformCall;
  store: ArtifactStore;
  /** The folder of the store's files. */
  folder: string;
  abort: AbortController;
  /** Requested waits in ms: no time passes but in `call.now`. */
  waits: number[];
  /** Platforms whose token was reported as refused. */
  refused: string[];
  /** Stores the files and describes a release of them. */
  release(number: number, files: Record<string, string>): Promise<PublishRequest>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function platformHarness(): Promise<PlatformHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-platform-'));
  const rateCounters = createRateCounters();
  const store = await createDiskStore({ folder, minFreeBytes: 0, rateCounters });
  const zips = await createZipIntake({ path: join(folder, 'incoming'), minFreeBytes: 0 }, rateCounters);
  const abort = new AbortController();
  const waits: number[] = [];
  const refused: string[] = [];
  let passedMs = 0;
  return {
    store,
    folder,
    abort,
    waits,
    refused,
    call: {
      destination: { id: 'd'.repeat(20), slug: 'a-site', isSinglePage: false, target: null, options: {}, site: null },
      store,
      patience: createPatience({ of: null, count: 0 }),
      openSpool: () => zips.openSpool(),
      egress: testEgress(),
      credentials: {
        tokenOf: async () => TOKEN,
        refused: async (platform) => void refused.push(platform),
      },
      signal: abort.signal,
      now: () => new Date(Date.now() + passedMs),
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        waits.push(ms);
        passedMs += ms;
      },
    },
    release: async (number, files) => {
      return requestOf(store, number, await stored(store, files));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * With this many files or more they are stored together, as those of an archive are, because one by one they take
 * longer than the tested work.
 */
const MANY = 50;

async function stored(store: ArtifactStore, files: Record<string, string>): Promise<Manifest> {
  const manifest = new Map<string, ManifestEntry>();
  const intake = Object.keys(files).length < MANY ? null : await store.intake();
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    const digestOf = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex');
    const entry = { sha256: digestOf('sha256'), sizeBytes: bytes.length };
    if (intake === null) await store.writeWhole(bytes);
    else await intake.add(bytes, { ...entry, sha1: digestOf('sha1') });
    manifest.set(path, entry);
  }
  await intake?.commit();
  return manifest;
}

async function requestOf(store: ArtifactStore, number: number, manifest: Manifest): Promise<PublishRequest> {
  const encoded = await encodeManifest(manifest);
  const { sha256: manifestHash } = await store.writeWhole(encoded);
  const id = createHash('sha256').update(`release ${number}`).digest('hex').slice(0, 20);
  return {
    release: { id, number },
    manifest,
    manifestHash,
    ref: null,
    previous: null,
    sha1Of: (hashes) => sha1Of(store, hashes),
    confirmedUrl: null,
  };
}

async function sha1Of(store: ArtifactStore, sha256s: readonly string[]): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const sha256 of sha256s) {
    digests.set(
      sha256,
      createHash('sha1')
        .update(await store.readWhole(sha256))
        .digest('hex'),
    );
  }
  return digests;
}

/** Makes a release the public one, walking through every wait. */
export async function restored({ restore }: Platform, call: PlatformCall, ref: PlatformRef, actId = 'an act') {
  const run = restore?.(call, { ref, actId });
  for (let next = await run?.next(); next !== undefined; next = await run?.next()) {
    if (next.done) return next.value;
  }
  return ref;
}

/** Returns the text of a page, or of whatever else answers there. */
export async function textAt(call: PlatformCall, url: string | null, path = ''): Promise<string> {
  const request = { signal: call.signal, maxBytes: 1024 ** 2, wholeMs: 60_000, redirects: 1 };
  return call.egress.request(`${url}/${path}`, request, ({ body }) => textWithinBudget(body));
}

/** Keeps what an event names, as the caller of a platform does: the site in the call, the reference for the next run. */
function keep(call: PlatformCall, request: PublishRequest, event: PublishEvent): void {
  if (event.type === 'site') call.destination.site = event.site;
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
  world?.keepTime?.(call.now);
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

type WithStandIn = PlatformUnderTest & { world: PlatformWorld; standIn: StandIn<unknown> };

/** The adapter, its stand-in and a call, for the tests of what one platform alone does. */
export async function onPlatform<Subject extends WithStandIn>(subject: Subject) {
  const harness = await platformHarness();
  const { platform, standIn, world } = subject;
  const { call } = harness;
  const send = (request: PublishRequest) => published(platform, call, request);
  const state: Subject['standIn']['state'] = standIn.state;
  return {
    ...subject,
    harness,
    call,
    state,
    send,
    publish: async (number: number, files: Record<string, string>) => send(await harness.release(number, files)),
    urlOf: async (ref: PlatformRef) => (await platform.release(call, ref)).url,
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await subject[Symbol.asyncDispose]();
      if (world.drift.length > 0) throw new Error(`Adapter and description differ: ${world.drift.join('; ')}`);
    },
  };
}

/** Says how many requests one changed file of many took; repeated reads of one path count once. */
export function countRequests(title: string, requests: readonly SeenRequest[], files: string): number {
  const count = new Set(requests.map(({ method, path }, index) => (method === 'GET' ? path : `${index}`))).size;
  process.stdout.write(`${title}: ${count} requests for one changed file of ${files}\n`);
  return count;
}
