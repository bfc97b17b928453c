import type { PlacedLinks, RootLinks } from './root-links.ts';
import type { UploadProblem } from './upload-inspection.ts';

/** A longer list helps nobody; the message has the total. */
export const LISTED_PLACES = 50;

/**
 * Returns the problem of the links that break; null when none does. `at` is the folder of its host below which the
 * site is published, '' for the root, and null when it is not known yet.
 */
export function rootLinkProblem(links: RootLinks | null, at: string | null): UploadProblem | null {
  if (links === null) return null;
  const { folder, below, others } = links;
  const wrongBelow = folder === at ? NONE : below;
  const wrongOthers = at === '' ? NONE : others;
  const count = wrongBelow.count + wrongOthers.count;
  if (count === 0) return null;
  const places = [...wrongBelow.places, ...wrongOthers.places].slice(0, LISTED_PLACES);
  const begin = count === 1 ? '1 link begins' : `${count} links begin`;
  if (wrongOthers.count > 0) {
    const hint =
      'The site is published in a folder there, and such a link leads outside it. Write the links without the leading slash, choose a repository whose site is not in a folder, or give the site a domain of its own.';
    return { code: 'root_link', message: `${begin} with a slash.`, hint, path: null, places };
  }
  const message = `${begin} with /${folder}/.`;
  const hint = `The site was built for that folder. ${whereInstead(at, folder ?? '')} Build it for the address where it is published, or write the links without the leading slash.`;
  return { code: 'folder_link', message, hint, path: null, places };
}

const NONE: PlacedLinks = { count: 0, places: [] };

function whereInstead(at: string | null, folder: string): string {
  if (at === '') return 'It is published at the root of its address, where such a link leads nowhere.';
  if (at === null) return `Such a link works only in a repository called ${folder}.`;
  return `It is published below /${at}/, and such a link leads outside it.`;
}
