import { LISTED_PLACES } from './root-link-problem.ts';
import type { ProblemPlace } from './upload-inspection.ts';
import { checkLinks, type FoundLink, leadsInside, withoutFolder } from './upload-links.ts';
import type { TextFindings } from './upload-text-problems.ts';

/**
 * The links of an upload that begin with a slash: a browser resolves them at the root of the host, so they depend on
 * the folder below which the site is published. Pure, over links and names.
 */
export type RootLinks = {
  /** The folder that the site was built for, which tools call its base; null when it was built for the root. */
  folder: string | null;
  /** The links that begin with that folder. */
  below: PlacedLinks;
  others: PlacedLinks;
};
export type PlacedLinks = { count: number; places: readonly ProblemPlace[] };

/** This many links must have files before a folder counts as the site's base. */
const SAMPLE = 50;
/** A site has one base; if there are more folders than this, it has none. */
const FOLDERS_MAX = 1_000;

/** Returns the links, pausing after every file; null when there are none. */
export function* rootLinkSteps(
  looks: ReadonlyMap<string, TextFindings>,
  paths: ReadonlySet<string>,
): Generator<void, RootLinks | null> {
  const found: (ProblemPlace & { link: FoundLink })[] = [];
  for (const [path, { links }] of looks) {
    for (const link of links) {
      if (link.target.startsWith('/') && leadsInside(link.target))
        found.push({ path, line: link.line, text: link.target, link });
    }
    yield;
  }
  if (found.length === 0) return null;
  const folder = builtFor(
    found.map(({ link }) => link),
    paths,
  );
  const isBelow = ({ text }: ProblemPlace): boolean => folder !== null && withoutFolder(text, folder) !== text;
  return {
    folder,
    below: placed(found.filter(isBelow)),
    others: placed(found.filter((one) => !isBelow(one))),
  };
}

function placed(found: readonly ProblemPlace[]): PlacedLinks {
  const places = found.slice(0, LISTED_PLACES).map(({ path, line, text }) => ({ path, line, text }));
  return { count: found.length, places };
}

/** Returns the folder that most of them begin with, if their files exist without it and not with it. */
function builtFor(links: readonly FoundLink[], paths: ReadonlySet<string>): string | null {
  const counts = new Map<string, number>();
  for (const { target } of links) {
    const folder = /^\/([\w.-]+)\//.exec(target)?.[1];
    if (folder === undefined || (counts.size === FOLDERS_MAX && !counts.has(folder))) continue;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [folder] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  if (folder === '') return null;
  const sample = links.filter(({ target }) => target.startsWith(`/${folder}/`)).slice(0, SAMPLE);
  return countThere(sample, paths, folder) > countThere(sample, paths, null) ? folder : null;
}

function countThere(links: readonly FoundLink[], paths: ReadonlySet<string>, below: string | null): number {
  const folded = new Map<string, string>();
  return links.length - checkLinks('', links, { paths, folded, below }).length;
}
