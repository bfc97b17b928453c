import type { LocalRoots, SealedRoot } from '../../server/domains/certificates/authority/authority.ts';

/** A place for the root of an authority that is one test's own, with keys of its own. */
export function ownRoots(): LocalRoots {
  let kept: SealedRoot | null = null;
  return {
    find: async () => kept,
    storeFirst: async (root) => {
      kept ??= root;
      return kept;
    },
  };
}
