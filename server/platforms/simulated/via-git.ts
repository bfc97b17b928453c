import { AppError } from '../../errors.ts';
import { platformError } from '../failures.ts';
import { gitBlobHash } from '../git-blob.ts';
import type { Platform, PlatformCall, PlatformRef, PublishEvent, PublishRequest } from '../platform.ts';
import { type Content, contentsOf, sendFiles } from '../send-files.ts';
import { waitUntilDone } from '../wait-until-done.ts';
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
} from './api.ts';
import { dropDomain, readDomain, setDomain } from './domains.ts';
import { dropSite, ensureSite, idOf } from './site.ts';

const MINUTE_MS = 60_000;
/** Somebody else may commit between our look at the newest commit and ours on top of it. */
const COMMIT_TRIES = 3;

/**
 * Through Git, as GitHub Pages has it: the contents that the last commit lacks become blobs, a commit on top of it names
 * all files, and the platform builds what the branch holds, which makes it public. There is no address for one release
 * and no way to stop a build; an earlier release comes back by moving the branch. The site has one domain or none.
 */
export const viaGit: Platform = {
  id: 'simulated',
  capabilities: {
    publish: 'viaGit',
    requires: ['publicFiles'],
    digest: 'gitBlob',
    transfer: 'inlineAndBlobs',
    limits: {
      maxFileBytes: 1024 * 1024,
      maxTotalBytes: 8 * 1024 * 1024,
      parallelUploads: 1,
      releaseMs: 20 * MINUTE_MS,
      settleMs: 5_000,
    },
    refusedNames: null,
    specialFiles: ['.nojekyll'],
    basePath: 'root',
    immutableUrl: false,
    draft: false,
    rollback: 'byCommit',
    cancel: false,
    log: 'message',
    resume: 'byId',
    domain: {
      records: 'fixed',
      apex: 'a',
      proof: 'none',
      twin: 'manual',
      max: 1,
      certificate: { status: 'perDomain', request: 'automatic' },
    },
  },

  async verify(call) {
    return { identity: await readAccount(call), warnings: [] };
  },
  listTargets: (call) => readTeams(call),

  async *publish(call, request) {
    const siteId = yield* ensureSite(call);
    const key = request.release.id;
    yield { type: 'ref', ref: { siteId, key, commit: idOf(request.ref, 'commit') } };
    const made = await findRelease(call, siteId, key);
    const { id: commit } = made ?? (yield* commitFiles(call, siteId, request));
    const ref = { siteId, key, commit };
    yield { type: 'ref', ref };
    yield* waitUntilDone(call, TITLE, () => viaGit.release(call, ref));
    return ref;
  },

  async release(call, ref) {
    const seen = toPlatformRelease(await readRelease(call, idIn(ref, 'commit')));
    return { ...seen, ownUrl: null };
  },

  async restore(call, ref) {
    await moveHead(call, idIn(ref, 'siteId'), idIn(ref, 'commit'));
    const built = waitUntilDone(call, TITLE, () => viaGit.release(call, ref));
    while (!(await built.next()).done);
  },
  remove: dropSite,
  attachDomain: setDomain,
  domain: readDomain,
  detachDomain: dropDomain,
};

async function* commitFiles(
  call: PlatformCall,
  siteId: string,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, SimulatedRelease> {
  const contents = contentsOf(request.manifest);
  const blobs = new Map<string, string>();
  for (const content of contents) blobs.set(content.sha256, await gitBlobOf(call, content));
  const known = new Set(Object.values((await readTree(call, siteId)).files));
  yield* sendFiles(call, {
    contents,
    missing: contents.filter(({ sha256 }) => !known.has(blobs.get(sha256) ?? '')),
    atOnce: 1,
    send: (content, inner) => sendBlob(inner, siteId, content),
  });
  const files = Object.fromEntries([...request.manifest].map(([path, { sha256 }]) => [path, blobs.get(sha256) ?? '']));
  return commitOnTop(call, siteId, { key: request.release.id, files });
}

async function commitOnTop(
  call: PlatformCall,
  siteId: string,
  commit: { key: string; files: Record<string, string> },
): Promise<SimulatedRelease> {
  for (let tried = 1; ; tried += 1) {
    const { head } = await readTree(call, siteId);
    try {
      return await makeCommit(call, siteId, { ...commit, parent: head });
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
