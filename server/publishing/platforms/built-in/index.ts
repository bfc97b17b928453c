import { builtInCapabilities } from '../../../../routers/schemas/platforms/capabilities/built-in.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Platform, PlatformCall } from '../platform.ts';
import { type Content, contentsNewSince, contentsOf, sendFiles } from '../send-files.ts';

const AT_ONCE = 8;

/**
 * The built-in host serves straight from the artifact store, so publishing sends nothing: it makes sure that every file
 * that visitors do not have yet is there and readable, byte for byte. The release then answers at its own address
 * (`r{number}--{slug}`), and which release is public is the pointer that the caller switches:
 * `restore` looks whether the files are still kept, `cancel` and `remove` have nothing of their own to change, and the
 * addresses are Fairlead's own.
 */
export const builtIn: Platform = {
  id: 'built-in',
  capabilities: builtInCapabilities,

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
    const missing = contentsNewSince(contents, request.previous?.manifest);
    yield* sendFiles(call, { contents, missing, atOnce: AT_ONCE, send: readFile });
    yield { type: 'processing', text: `Handing release ${request.release.number} to the host` };
    call.signal.throwIfAborted();
    return ref;
  },

  async release() {
    return { state: 'verifying', text: null, url: null, ownUrl: null };
  },

  async cancel() {},

  // The caller's pointer decides which release is public: nothing is left to do or to report here.
  async *restore(call, { ref }) {
    if (typeof ref.manifestHash !== 'string' || !(await call.store.has(ref.manifestHash))) {
      throw new AppError('platform_failed', 'The files of this release are no longer kept.', {
        hint: 'Publish the same files again.',
      });
    }
    yield* [];
    return ref;
  },

  remove: async () => undefined,
};

/** Reads a whole file. Opening compares the hash, so the release is known to be intact before visitors see it. */
async function readFile({ sha256, sizeBytes }: Content, call: PlatformCall): Promise<void> {
  const artifact = await call.store.open(sha256);
  await artifact.close();
  if (artifact.sizeBytes !== sizeBytes) {
    throw new AppError(
      'artifact_corrupted',
      'A file of this release does not have the size given in the list of files.',
    );
  }
}
