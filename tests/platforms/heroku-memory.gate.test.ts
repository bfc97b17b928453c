import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PublishRequest } from '../../server/publishing/platforms/platform.ts';
import type { ArtifactStore, OpenArtifact } from '../../server/store/store.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import { IS_FULL } from '../support/size.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';

const MIB = 1024 ** 2;
const LARGE_BYTES = 25 * MIB;
/** Some of them are more than may be held already; all make up the site that the limit is meant for. */
const LARGE_FILES = IS_FULL ? 20 : 8;
const MEMORY_MAX_BYTES = 96 * MIB;

test('a large site is packed and sent in a memory of 96 MiB', async () => {
  await using subject = await herokuUnderTest();
  await using harness = await platformHarness();
  const { call } = harness;
  let takenBytes = 0;
  // What is sent is counted and not held, as the storage of a platform would hold it.
  const egress: typeof call.egress = {
    request: async (url, exchange, read) => {
      const { body } = exchange;
      if (body === undefined || body instanceof Uint8Array) return call.egress.request(url, exchange, read);
      for await (const piece of body.chunks) takenBytes += piece.byteLength;
      throw new Error('all of it was taken');
    },
  };
  const request = await harness.release(1, { 'index.html': 'large' });
  const manifest = new Map(request.manifest);
  for (let index = 0; index < LARGE_FILES; index += 1) {
    const sha256 = createHash('sha256').update(`${index}`).digest('hex');
    manifest.set(`video-${index}.bin`, { sha256, sizeBytes: LARGE_BYTES });
  }
  const store = { ...call.store, open: (sha256: string) => openLarge(call.store, request, sha256) };
  const memory = watchMemory();
  const sent = published(subject.platform, { ...call, egress, store }, { ...request, manifest });
  await expect(sent).rejects.toThrow('all of it was taken');
  const peakBytes = memory.stop();
  const sizeMiB = (LARGE_FILES * LARGE_BYTES) / MIB;
  process.stdout.write(`Heroku: ${Math.round(peakBytes / MIB)} MiB above idle for a site of ${sizeMiB} MiB\n`);
  expect(takenBytes).toBeGreaterThan(LARGE_FILES * LARGE_BYTES);
  expect(peakBytes).toBeLessThan(MEMORY_MAX_BYTES);
});

/** Bytes that no packer makes smaller: it looks back 32 KiB, and they come again after a megabyte. */
const BLOCK = randomBytes(MIB);

async function openLarge(store: ArtifactStore, { manifest }: PublishRequest, sha256: string): Promise<OpenArtifact> {
  const isStored = [...manifest.values()].some((entry) => entry.sha256 === sha256);
  if (isStored) return store.open(sha256);
  return {
    sizeBytes: LARGE_BYTES,
    read: async () => BLOCK,
    async *stream() {
      for (let at = 0; at < LARGE_BYTES; at += MIB) yield BLOCK;
    },
    close: async () => undefined,
  };
}

function watchMemory() {
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 20);
  return {
    stop: (): number => {
      clearInterval(timer);
      look();
      return peak - idle;
    },
  };
}
