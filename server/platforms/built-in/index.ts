import { PROGRESS_INTERVAL_MS } from '../../../routers/schemas/limits.ts';
import { AppError } from '../../errors.ts';
import type { Platform, PlatformCall, PublishEvent, PublishRequest } from '../platform.ts';

const AT_ONCE = 8;

/**
 * The built-in host serves straight from the artifact store, so publishing sends nothing: it makes sure that every file
 * of the release is there and readable, byte for byte. The release then answers at its own address
 * (`r{number}--{slug}`), and which release is public is the pointer that the caller switches (product page, section 3):
 * `restore` and `remove` have nothing of their own to change.
 */
export const builtIn: Platform = {
  id: 'built-in',
  capabilities: {
    publish: 'upload',
    requires: [],
    digest: 'sha256',
    transfer: 'perFile',
    limits: { parallelUploads: AT_ONCE },
    immutableUrl: true,
    rollback: 'any',
    cancel: true,
    resume: 'byDigest',
  },

  async *publish(call, request) {
    const ref = { releaseId: request.release.id, manifestHash: request.manifestHash };
    yield { type: 'ref', ref };
    yield* readEveryFile(call, request);
    yield { type: 'processing', text: `Release ${request.release.number} is handed to the host` };
    call.signal.throwIfAborted();
    return ref;
  },

  async restore(call, ref) {
    if (typeof ref.manifestHash !== 'string' || !(await call.store.has(ref.manifestHash))) {
      throw new AppError('platform_failed', 'The files of this release are no longer kept.', {
        hint: 'Publish the same files again.',
      });
    }
  },

  async remove() {},
};

async function* readEveryFile(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, void> {
  const sizes = new Map<string, number>();
  for (const { sha256, sizeBytes } of request.manifest.values()) sizes.set(sha256, sizeBytes);
  const total = sizes.size;
  let totalBytes = 0;
  for (const sizeBytes of sizes.values()) totalBytes += sizeBytes;

  let done = 0;
  let doneBytes = 0;
  let toldAt = 0;
  yield { type: 'uploading', done, total, doneBytes, totalBytes };
  const files = [...sizes];
  for (let next = 0; next < total; next += AT_ONCE) {
    call.signal.throwIfAborted();
    const some = files.slice(next, next + AT_ONCE);
    await Promise.all(some.map(([sha256, sizeBytes]) => readFile(call, sha256, sizeBytes)));
    done += some.length;
    for (const [, sizeBytes] of some) doneBytes += sizeBytes;
    const isDue = performance.now() - toldAt >= PROGRESS_INTERVAL_MS;
    if (!isDue && done < total) continue;
    toldAt = performance.now();
    yield { type: 'uploading', done, total, doneBytes, totalBytes };
  }
}

/** Opening compares the hash: what this release is made of is known to be whole before anybody is sent to it. */
async function readFile(call: PlatformCall, sha256: string, sizeBytes: number): Promise<void> {
  const artifact = await call.store.open(sha256);
  await artifact.close();
  if (artifact.sizeBytes !== sizeBytes) {
    throw new AppError('artifact_damaged', 'A file of this release has another size than its list of files says.');
  }
}
