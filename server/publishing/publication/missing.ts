import type { ClientSession } from 'mongoose';
import type { BrokenLink } from '../../../routers/rules/uploads/upload-inspection.ts';
import { visiblePath } from '../../../routers/rules/uploads/upload-rules.ts';
import { MISSING_LINKS_MAX } from '../../../routers/schemas/limits.ts';
import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import type { ReleaseWork } from './release-work.ts';

/**
 * A release keeps for its owner what its visitors do not get: files that its start page uses, as seen at the primary
 * destination, and links in its pages that lead nowhere. Most releases have neither.
 */

/** Longer ones are written by a program, and help nobody. */
const TEXT_MAX = 300;
const START_PAGE = 'index.html';
/** Begins, behind a link, the name of the file from which it differs in capitals (upload-text-problems.ts). */
const CALLED = ' is called ';

type Work = Pick<ReleaseWork, 'release' | 'destination' | 'isPrimary'>;

/** Stores what was found in the files, before it is known which files the start page misses. */
export async function saveFindings(
  session: ClientSession,
  work: Work,
  found: { brokenLinks: readonly BrokenLink[]; needsBuild: boolean },
): Promise<undefined> {
  if (!work.isPrimary) return;
  const brokenLinks = found.brokenLinks.map(({ path, line, text, target }) => ({
    ...{ path, line, text: visiblePath(text).slice(0, TEXT_MAX) },
    target: target.slice(0, TEXT_MAX),
  }));
  await save(session, work, { brokenLinks, needsBuild: found.needsBuild });
}

/**
 * Returns the pages of a release whose links lead nowhere: the next release may have the missing files. Returns null
 * when there may be more: the list is full, or an earlier version of Fairlead made the release.
 */
export function pagesWithBrokenLinks({ brokenLinks }: { brokenLinks?: readonly BrokenLink[] | null }): string[] | null {
  return brokenLinks && !isFull(brokenLinks) ? brokenLinks.map(({ path }) => path) : null;
}

function isFull({ length }: readonly BrokenLink[]): boolean {
  return length === MISSING_LINKS_MAX;
}

/**
 * Stores what is missing in all. A file that the start page misses is not told as a link as well, except in a full
 * list: what is left of it would be counted as all there is. Returns the files as they are told: each with the file
 * that differs from it in its capitals.
 */
export async function saveMissing(
  session: ClientSession,
  work: Work,
  missingLinks: readonly string[],
): Promise<string[]> {
  const { isPrimary, destination, release } = work;
  const stored = release.brokenLinks ?? [];
  // The host does not matter.
  const at = (destination.url || 'http://localhost').replace(/\/?$/, '/');
  const names = ({ path, target }: BrokenLink, file: string): boolean => {
    if (path !== START_PAGE || !URL.canParse(target, at)) return false;
    const { pathname, search } = new URL(target, at);
    return file === `${pathname}${search}`;
  };
  const files = missingLinks.map((file) => {
    const link = stored.find((one) => names(one, file));
    const hint = link?.text.slice(link.target.length) ?? '';
    return hint.startsWith(CALLED) ? file + hint : file;
  });
  if (!isPrimary || (!missingLinks.length && !stored.length && !release.missing)) return files;
  const isReported = (link: BrokenLink): boolean => missingLinks.some((file) => names(link, file));
  const brokenLinks = stored.map((link) => ({ ...link, isToldAsFile: !isFull(stored) && isReported(link) }));
  const links = brokenLinks.filter(({ isToldAsFile }) => !isToldAsFile);
  const examples = [...files, ...links.map(({ path, line, text }) => `${visiblePath(path)}, line ${line}: ${text}`)];
  const example = examples[0]?.slice(0, TEXT_MAX) ?? '';
  const missing = { files: missingLinks.length, links: links.length, example };
  await save(session, work, { brokenLinks, missing: examples.length === 0 ? null : missing });
  return files;
}

async function save(
  session: ClientSession,
  { release }: Work,
  change: Pick<ReleaseRow, 'missing' | 'needsBuild'> & { brokenLinks: (BrokenLink & { isToldAsFile?: boolean })[] },
): Promise<undefined> {
  const { _id, accountId } = release;
  await ReleaseModel.updateOne({ _id, accountId }, { $set: change }, { session });
  Object.assign(release, change);
}
