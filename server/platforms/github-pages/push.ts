import type { Manifest } from '../../store/manifest.ts';
import type { Vendor } from '../http.ts';
import type { PlatformCall, PublishEvent, PublishRequest } from '../platform.ts';
import { type Landed, land, readBlobIds } from './branch.ts';
import { readRepository } from './repository.ts';
import { type Place, type Pushed, pushedIn, sendTree } from './tree.ts';

export type Push = {
  request: Pick<PublishRequest, 'release' | 'ref'>;
  wanted: Manifest;
  /** What the branch was left with by the release before; null where that is not known. */
  before: { manifest: Manifest; landed: Landed } | null;
  /** The repository was made in this run: it holds nothing that is worth a look. */
  isNew: boolean;
  /** Texts of the adapter's own, in a tree that begins from nothing. */
  texts(cname: string | null): Record<string, string>;
  /** The domain that GitHub has for the repository. */
  readCname?(): Promise<string | null>;
};

/**
 * Has the files of a release on the branch: one commit, one move of the branch. Continues where an earlier run of the
 * release was. Where nothing is known of what the branch holds, it is asked first.
 */
export async function* push(
  vendor: Vendor,
  call: PlatformCall,
  place: Place,
  { request, wanted, before, isNew, texts, readCname }: Push,
): AsyncGenerator<PublishEvent, Landed> {
  const { repository, named } = place;
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
    // A run that goes on after a wait has to know as much as the one that began.
    const known = from.isBranchRead ? await readBlobIds(vendor, call, repository) : null;
    const files = before?.manifest ?? null;
    from = yield* sendTree(vendor, call, place, { wanted, before: files, texts: texts(from.cname), from, known });
    tree = from.tree ?? '';
  }
  return yield* land(vendor, call, place, {
    pushed: { ...from, tree },
    message: `Release ${release.number}`,
    parent: before?.landed.commit ?? null,
    ...(readCname !== undefined && { readCname }),
  });
}
