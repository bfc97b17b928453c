import { AppError } from '../../errors.ts';
import { platformError } from '../failures.ts';
import type { Platform, PlatformCall, PublishEvent, PublishRequest } from '../platform.ts';
import { contentsOf, sendFiles } from '../send-files.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import {
  cancelRelease,
  finishRelease,
  makeRelease,
  publishRelease,
  readAccount,
  readRelease,
  readTeams,
  sendFile,
  TITLE,
  toPlatformRelease,
} from './api.ts';
import { addDomain, dropDomain, readDomain, requestCertificate } from './domains.ts';
import { dropSite, ensureSite, idOf, isMissing } from './site.ts';

const AT_ONCE = 4;
const MINUTE_MS = 60_000;

/**
 * Plain upload, as Netlify has it: a release is made of the digests of all its files, answers which of them the
 * platform lacks, takes those, and is ready at an address of its own; publishing it is a call of its own. Every part is
 * found again by the release's id: sites by their name, releases by their key, files by their digest. Domains are added
 * to the site's list.
 */
export const upload: Platform = {
  id: 'simulated',
  capabilities: {
    publish: 'upload',
    requires: [],
    digest: 'sha256',
    transfer: 'perFile',
    limits: {
      maxFiles: 500,
      maxFileBytes: 1024 * 1024,
      maxTotalBytes: 8 * 1024 * 1024,
      parallelUploads: AT_ONCE,
      releaseMs: 20 * MINUTE_MS,
      settleMs: 5_000,
    },
    refusedNames: /[#?]/,
    specialFiles: [],
    basePath: 'root',
    immutableUrl: true,
    draft: true,
    rollback: 'any',
    cancel: true,
    log: 'message',
    resume: 'byDigest',
    domain: {
      records: 'fromApi',
      apex: 'aliasOrA',
      proof: 'txtWhenTaken',
      twin: 'automatic',
      max: null,
      certificate: { status: 'full', request: 'call' },
    },
  },

  async verify(call) {
    return { identity: await readAccount(call), warnings: [] };
  },
  listTargets: (call) => readTeams(call),

  async *publish(call, request) {
    const siteId = yield* ensureSite(call);
    const id = yield* startRelease(call, siteId, request);
    yield* waitUntilDone(call, TITLE, () => upload.release(call, { id }));
    return { id };
  },

  async release(call, ref) {
    return toPlatformRelease(await readRelease(call, idIn(ref)));
  },

  async cancel(call, ref) {
    try {
      await cancelRelease(call, idIn(ref));
    } catch (error) {
      // It is ready already, or its site is gone: there is nothing to end.
      if (!isMissing(error) && !isOver(error)) throw error;
    }
  },
  restore: (call, ref) => publishRelease(call, idIn(ref)),
  remove: dropSite,
  attachDomain: addDomain,
  domain: readDomain,
  detachDomain: dropDomain,
  requestCertificate,
};

/** Makes the release, or finds the one that an earlier run has made, and sends what it lacks. */
async function* startRelease(
  call: PlatformCall,
  siteId: string,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, string> {
  const files = Object.fromEntries([...request.manifest].map(([path, { sha256 }]) => [path, sha256]));
  const release = await makeRelease(call, siteId, request.release.id, files);
  yield { type: 'ref', ref: { id: release.id } };
  const contents = contentsOf(request.manifest);
  const required = new Set(release.required);
  yield* sendFiles(call, {
    contents,
    missing: contents.filter(({ sha256 }) => required.has(sha256)),
    atOnce: AT_ONCE,
    send: (content, inner) => sendFile(inner, release.id, content),
  });
  if (release.state === 'uploading') await finishRelease(call, release.id);
  return release.id;
}

function isOver(error: unknown): boolean {
  return error instanceof AppError && error.code === 'out_of_sync';
}

function idIn(ref: Parameters<typeof idOf>[0]): string {
  const id = idOf(ref, 'id');
  if (id === null) throw platformError('platform_failed', TITLE, { said: 'this release was never made there' });
  return id;
}
