import type { PlatformCapabilities } from '../../../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import { AppError } from '../../../../server/errors.ts';
import { platformError } from '../../../../server/platforms/failures.ts';
import { gitBlobHash } from '../../../../server/platforms/git-blob.ts';
import type { Vendor } from '../../../../server/platforms/http.ts';
import type {
  Platform,
  PlatformCall,
  PlatformRef,
  PlatformRelease,
  PublishEvent,
  PublishRequest,
} from '../../../../server/platforms/platform.ts';
import { type Content, contentsOf, sendFiles } from '../../../../server/platforms/send-files.ts';
import { waitUntilDone } from '../../../../server/platforms/wait-until-done.ts';
import {
  findRelease,
  makeCommit,
  moveHead,
  readAccount,
  readRelease,
  readTeams,
  readTree,
  type SimulatedRelease,
  sendBlob,
  TITLE,
  toPlatformRelease,
  vendorAt,
} from './api.ts';
import { dropDomain, readDomain, setDomain } from './domains.ts';
import { dropSite, ensureSite, idOf } from './site.ts';

const MINUTE_MS = 60_000;
/** Somebody else may commit between our look at the newest commit and ours on top of it. */
const COMMIT_TRIES = 3;

const CAPABILITIES: PlatformCapabilities = {
  publish: 'viaGit',
  requires: ['publicFiles'],
  furtherConnections: [],
  limits: {
    maxFileBytes: 1024 * 1024,
    maxTotalBytes: 8 * 1024 * 1024,
    releaseMs: 20 * MINUTE_MS,
    settleMs: 5_000,
  },
  refusedNames: null,
  specialFiles: ['.nojekyll'],
  basePath: 'root',
  draft: false,
  rollBack: true,
  cancel: false,
  log: false,
  serving: { notFoundPage: true, singlePage: false, redirects: false },
  domain: {
    records: 'fixed',
    counterpart: 'manual',
    certificate: { status: 'perDomain', issuers: ['letsencrypt.org', 'pki.goog'] },
  },
};

/**
 * Through Git, as GitHub Pages has it: the contents that the last commit lacks become blobs, a commit on top of it names
 * all files, and the platform builds what the branch holds, which makes it public. There is no address for one release
 * and no way to stop a build; an earlier release comes back by moving the branch. The site has one domain or none.
 */
export function viaGitAt(apiUrl: string): Platform {
  const vendor = vendorAt(apiUrl);
  const look = async (call: PlatformCall, ref: PlatformRef): Promise<PlatformRelease> => {
    const seen = toPlatformRelease(await readRelease(vendor, call, idIn(ref, 'commit')));
    return { ...seen, ownUrl: null };
  };
  return {
    id: 'simulated',
    capabilities: CAPABILITIES,
    verify: async (call) => ({ identity: await readAccount(vendor, call), warnings: [] }),
    listTargets: (call) => readTeams(vendor, call),

    async *publish(call, request) {
      const siteId = yield* ensureSite(vendor, call);
      const key = request.release.id;
      yield { type: 'ref', ref: { siteId, key, commit: idOf(request.ref, 'commit') } };
      const made = await findRelease(vendor, call, siteId, key);
      const { id: commit } = made ?? (yield* commitFiles(vendor, call, siteId, request));
      const ref = { siteId, key, commit };
      yield { type: 'ref', ref };
      yield* waitUntilDone(call, TITLE, () => look(call, ref));
      return ref;
    },
    release: look,
    async *restore(call, { ref }) {
      await moveHead(vendor, call, idIn(ref, 'siteId'), idIn(ref, 'commit'));
      yield* waitUntilDone(call, TITLE, () => look(call, ref));
      return ref;
    },
    remove: (call) => dropSite(vendor, call),
    attachDomain: (call, name) => setDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => dropDomain(vendor, call, name),
  };
}

async function* commitFiles(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, SimulatedRelease> {
  const contents = contentsOf(request.manifest);
  const blobs = new Map<string, string>();
  for (const content of contents) blobs.set(content.sha256, await gitBlobOf(call, content));
  const known = new Set(Object.values((await readTree(vendor, call, siteId)).files));
  yield* sendFiles(call, {
    contents,
    missing: contents.filter(({ sha256 }) => !known.has(blobs.get(sha256) ?? '')),
    atOnce: 1,
    send: (content, inner) => sendBlob(vendor, inner, siteId, content),
  });
  const files = Object.fromEntries([...request.manifest].map(([path, { sha256 }]) => [path, blobs.get(sha256) ?? '']));
  return commitOnTop(vendor, call, siteId, { key: request.release.id, files });
}

async function commitOnTop(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  commit: { key: string; files: Record<string, string> },
): Promise<SimulatedRelease> {
  for (let tried = 1; ; tried += 1) {
    const { head } = await readTree(vendor, call, siteId);
    try {
      return await makeCommit(vendor, call, siteId, { ...commit, parent: head });
    } catch (error) {
      const wasMoved = error instanceof AppError && error.code === 'out_of_sync';
      if (!wasMoved || tried === COMMIT_TRIES) throw error;
    }
  }
}

async function gitBlobOf(call: PlatformCall, { sha256 }: Content): Promise<string> {
  const artifact = await call.store.open(sha256);
  try {
    const hash = gitBlobHash(artifact.sizeBytes);
    for await (const piece of artifact.stream()) hash.update(piece);
    return hash.digest('hex');
  } finally {
    await artifact.close();
  }
}

function idIn(ref: PlatformRef, field: string): string {
  const id = idOf(ref, field);
  if (id === null) throw platformError('platform_failed', TITLE, { said: 'this release was never made there' });
  return id;
}
