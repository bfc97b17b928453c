import type { NameNotice } from '../../routers/schemas/name-notices.ts';

/** The number of names that a person reads in a line. */
const NAMED_PATHS = 3;

/** Returns the hint of a notice, after the names concerned. */
export function noticeDetail({ paths, hint }: Pick<NameNotice, 'paths' | 'hint'>): string {
  const named = paths.slice(0, NAMED_PATHS).join(', ');
  return `${named}${paths.length > NAMED_PATHS ? ' and others' : ''}. ${hint}`;
}
