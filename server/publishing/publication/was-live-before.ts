import type { ReleaseRow } from '../../database/models/publishing/release.ts';

/** The release was seen live once, so if it is on its way it is a rollback. */
export function wasLiveBefore({ verifiedAt }: Pick<ReleaseRow, 'verifiedAt'>): boolean {
  return verifiedAt instanceof Date;
}
