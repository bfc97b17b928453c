import type { ReleaseRow } from '../../database/models/release.ts';

/** It was seen live once: one that is on its way all the same is a roll back. */
export function wasLiveBefore({ verifiedAt }: Pick<ReleaseRow, 'verifiedAt'>): boolean {
  return verifiedAt instanceof Date;
}
