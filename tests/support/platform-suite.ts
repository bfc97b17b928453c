import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDiskStore } from '../../server/artifacts/disk.ts';
import { encodeManifest, type Manifest, manifestHash } from '../../server/artifacts/manifest.ts';
import type { ArtifactStore } from '../../server/artifacts/store.ts';
import type {
  Platform,
  PlatformCall,
  PlatformRef,
  PublishEvent,
  PublishRequest,
} from '../../server/platforms/platform.ts';

export type PlatformUnderTest = { platform: Platform };

export type PlatformBench = {
  call: PlatformCall;
  store: ArtifactStore;
  abort: AbortController;
  /** Stores the files and describes a release of them. */
  release(number: number, files: Record<string, string>): Promise<PublishRequest>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function platformBench(): Promise<PlatformBench> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-platform-'));
  const store = await createDiskStore({ folder, minFreeBytes: 0 });
  const abort = new AbortController();
  return {
    store,
    abort,
    call: {
      deployment: { id: 'd'.repeat(20), slug: 'a-site' },
      store,
      signal: abort.signal,
      now: () => new Date(),
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
  await store.writeWhole(encoded);
  const id = createHash('sha256').update(`release ${number}`).digest('hex').slice(0, 20);
  return { release: { id, number }, manifest, manifestHash: manifestHash(encoded), ref: null };
}

/** Runs `publish` to its end: every event in order, and what it returned. */
export async function published(platform: Platform, call: PlatformCall, request: PublishRequest) {
  const events: PublishEvent[] = [];
  const run = platform.publish(call, request);
  for (;;) {
    const next = await run.next();
    if (next.done) return { events, ref: next.value };
    events.push(next.value);
  }
}

/** Runs `publish` up to its first event and drops it there, as a crash would. */
async function firstRef(platform: Platform, call: PlatformCall, request: PublishRequest): Promise<PlatformRef> {
  for await (const event of platform.publish(call, request)) {
    if (event.type === 'ref') return event.ref;
    break;
  }
  throw new Error('The reference does not come first.');
}

/** What every platform must do (server/platforms/platform.ts), with every capability looked at. */
export function platformSuite(name: string, make: () => Promise<PlatformUnderTest>): void {
  const files = { 'index.html': '<h1>one</h1>', 'a/b c.txt': 'text', 'a/copy.txt': 'text', 'empty.txt': '' };

  test(`${name}: operations are there exactly when the capabilities say so`, async () => {
    const { platform } = await make();
    expect(platform.id).toBe(name);
    expect(platform.restore !== undefined).toBe(platform.capabilities.rollback !== 'none');
    expect(platform.capabilities.limits.parallelUploads).toBeGreaterThan(0);
  });

  test(`${name}: a release is named first, then sent, then processed`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    const { events, ref } = await published(platform, bench.call, await bench.release(1, files));
    expect(events[0]?.type).toBe('ref');
    const kinds = events.map((event) => event.type);
    expect(kinds.lastIndexOf('uploading')).toBeLessThan(kinds.indexOf('processing'));
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
  });

  test(`${name}: progress never goes back and ends complete, each content counted once`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    const { events } = await published(platform, bench.call, await bench.release(1, files));
    const progress = events.filter((event) => event.type === 'uploading');
    const last = progress.at(-1);
    expect(last).toMatchObject({ done: 3, total: 3, doneBytes: 16, totalBytes: 16 });
    for (const [index, event] of progress.entries()) {
      expect(event.done).toBeGreaterThanOrEqual(progress[index - 1]?.done ?? 0);
      expect(event.doneBytes).toBeGreaterThanOrEqual(progress[index - 1]?.doneBytes ?? 0);
      expect(event).toMatchObject({ total: 3, totalBytes: 16 });
    }
  });

  test(`${name}: a second run with the first one's reference ends the same`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    const request = await bench.release(1, files);
    const ref = await firstRef(platform, bench.call, request);
    const again = await published(platform, bench.call, { ...request, ref });
    const third = await published(platform, bench.call, { ...request, ref: again.ref });
    expect(third.ref).toEqual(again.ref);
  });

  test(`${name}: an aborted call stops with the reason of its signal`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    const request = await bench.release(1, files);
    bench.abort.abort(new Error('the lease is gone'));
    await expect(published(platform, bench.call, request)).rejects.toThrow('the lease is gone');
  });

  test(`${name}: a file that the store has lost stops the release`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    const request = await bench.release(1, files);
    await bench.store.remove(request.manifest.get('a/b c.txt')?.sha256 ?? '');
    await expect(published(platform, bench.call, request)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });

  test(`${name}: an earlier release can be made the public one again, as often as asked`, async () => {
    const { platform } = await make();
    if (platform.restore === undefined) return;
    await using bench = await platformBench();
    const one = await published(platform, bench.call, await bench.release(1, files));
    await published(platform, bench.call, await bench.release(2, { 'index.html': '<h1>two</h1>' }));
    await platform.restore(bench.call, one.ref);
    await platform.restore(bench.call, one.ref);
  });

  test(`${name}: taking the deployment away may be done twice`, async () => {
    const { platform } = await make();
    await using bench = await platformBench();
    await published(platform, bench.call, await bench.release(1, files));
    await platform.remove(bench.call);
    await platform.remove(bench.call);
  });
}
