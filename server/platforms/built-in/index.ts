import { AppError } from '../../errors.ts';
import type { Platform, PlatformCall } from '../platform.ts';
import { type Content, contentsOf, sendFiles } from '../send-files.ts';

const AT_ONCE = 8;
const MINUTE_MS = 60_000;

/**
 * The built-in host serves straight from the artifact store, so publishing sends nothing: it makes sure that every file
 * of the release is there and readable, byte for byte. The release then answers at its own address
 * (`r{number}--{slug}`), and which release is public is the pointer that the caller switches (product page, section 3):
 * `restore` looks whether the files are still kept, `cancel` and `remove` have nothing of their own to change, and the
 * addresses are Fairlead's own.
 */
export const builtIn: Platform = {
  id: 'built-in',
  capabilities: {
    publish: 'upload',
    requires: [],
    digest: 'sha256',
    transfer: 'perFile',
    // Another process of the host may follow the switch a moment later.
    limits: { parallelUploads: AT_ONCE, releaseMs: 60 * MINUTE_MS, settleMs: 5_000 },
    refusedNames: null,
    specialFiles: ['_redirects', '_headers'],
    basePath: 'root',
    immutableUrl: true,
    draft: true,
    rollback: 'any',
    cancel: true,
    log: 'none',
    resume: 'byDigest',
    // A name here needs no platform to be told of it: Fairlead serves it, so its records and certificate are ours to know.
    domain: null,
  },

  async verify() {
    return { identity: 'This installation of Fairlead', warnings: [] };
  },

  async listTargets() {
    return [];
  },

  async *publish(call, request) {
    const ref = { releaseId: request.release.id, manifestHash: request.manifestHash };
    yield { type: 'ref', ref };
    const contents = contentsOf(request.manifest);
    yield* sendFiles(call, { contents, missing: contents, atOnce: AT_ONCE, send: readFile });
    yield { type: 'processing', text: `Release ${request.release.number} is handed to the host` };
    call.signal.throwIfAborted();
    return ref;
  },

  async release() {
    return { state: 'verifying', text: null, url: null, ownUrl: null };
  },

  async cancel() {},

  async restore(call, ref) {
    if (typeof ref.manifestHash !== 'string' || !(await call.store.has(ref.manifestHash))) {
      throw new AppError('platform_failed', 'The files of this release are no longer kept.', {
        hint: 'Publish the same files again.',
      });
    }
  },

  async remove() {},
};

/** Opening compares the hash: what this release is made of is known to be whole before anybody is sent to it. */
async function readFile({ sha256, sizeBytes }: Content, call: PlatformCall): Promise<void> {
  const artifact = await call.store.open(sha256);
  await artifact.close();
  if (artifact.sizeBytes !== sizeBytes) {
    throw new AppError('artifact_damaged', 'A file of this release has another size than its list of files says.');
  }
}
