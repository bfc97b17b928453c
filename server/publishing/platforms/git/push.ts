import type { Manifest } from '../../../store/manifest.ts';
import type { Vendor } from '../http.ts';
import type { PlatformCall, PublishEvent, PublishRequest } from '../platform.ts';
import { type Landed, land, readBlobIds } from './branch.ts';
import { readRepository } from './repository.ts';
import { type Pushed, type PushTarget, pushedIn, sendTree } from './tree.ts';

export type Push = {
  request: Pick<PublishRequest, 'release' | 'ref'>;
  wanted: Manifest;
  /** The state of the branch after the previous release; null when it is not known. */
  before: { manifest: Manifest; landed: Landed } | null;
  /** True when the repository was made in this run: it holds nothing worth reading. */
  isNew: boolean;
  /** Returns texts of the adapter's own, for a tree that begins from nothing. */
  texts(cname: string | null): Record<string, string>;
  /** Returns the domain that GitHub has for the repository. */
  readCname?(): Promise<string | null>;
};

/**
 * Puts the files of a release on the branch: one commit, one move of the branch. It continues where an earlier run of
 * the release stopped. When the content of the branch is not known, it is read first.
 */
export async function* push(
  vendor: Vendor,
  call: PlatformCall,
  target: PushTarget,
  { request, wanted, before, isNew, texts, readCname }: Push,
): AsyncGenerator<PublishEvent, Landed> {
  const { repository, named } = target;
  const { release } = request;
  const base = before?.landed.tree ?? null;
  const earlier = pushedIn(request.ref, repository);
  const isGoingOn = earlier?.releaseId === release.id && (earlier.commit !== null || earlier.base === base);
  let from: Pushed = isGoingOn
    ? earlier
    : {
        releaseId: release.id,
        repositoryId: repository.id,
        tree: null,
        sent: 0,
        base,
        commit: null,
        landedAt: null,
        cname: before?.landed.cname ?? null,
        isBranchRead: false,
        hourFrom: null,
        hourSent: 0,
      };
  if (from.commit === null) yield { type: 'ref', ref: named(from) };
  let tree = from.tree;
  if (from.commit === null || tree === null) {
    const isUnknown = base === null && tree === null && !isNew;
    if (isUnknown) {
      await readRepository(vendor, call, repository);
      from = { ...from, cname: (await readCname?.()) ?? null, isBranchRead: true };
    }
    // A run that continues after a wait must know as much as the one that began.
    const known = from.isBranchRead ? await readBlobIds(vendor, call, repository) : null;
    const files = before?.manifest ?? null;
    from = yield* sendTree(vendor, call, target, { wanted, before: files, texts: texts(from.cname), from, known });
    tree = from.tree ?? '';
  }
  return yield* land(vendor, call, target, {
    pushed: { ...from, tree },
    message: `Release ${release.number}`,
    parent: before?.landed.commit ?? null,
    ...(readCname !== undefined && { readCname }),
  });
}
