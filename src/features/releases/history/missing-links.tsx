import { Link } from 'wouter';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { MISSING_LINKS_MAX } from '../../../../routers/schemas/limits.ts';
import type { ReleaseDestination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { href } from '../../../lib/paths/paths.ts';
import { NoStartPage } from '../no-start-page.tsx';

export type MissingLinksProps = {
  release: Pick<Release, 'deploymentId' | 'destinations' | 'hasStartPage'>;
  /** True while no plan is active, so that nothing is published. */
  isReadOnly: boolean;
};

/** Lists files of the entry page that do not load, at each platform concerned, or says there is no page. */
export function MissingLinks({ release, isReadOnly }: MissingLinksProps) {
  const { deploymentId, destinations, hasStartPage } = release;
  if (!hasStartPage) return <NoStartPage className="mb-6" />;
  return destinations
    .filter(({ missingLinks }) => missingLinks.length > 0)
    .map((destination) => (
      <Notice
        key={destination.id}
        tone="warn"
        title={titleOf(destination, destinations.length > 1)}
        className="mb-6"
        action={
          !isReadOnly && (
            <Button asChild>
              <Link to={`${href.deployment(deploymentId)}#publish`}>Publish again</Link>
            </Button>
          )
        }
      >
        <p>{adviceFor(destination)}</p>
        <ul className="mt-2 max-h-60 overflow-auto font-mono text-xs">
          {destination.missingLinks.map((link) => (
            <li key={link} className="wrap-anywhere">
              {link}
            </li>
          ))}
        </ul>
      </Notice>
    ));
}

function titleOf({ platform, missingLinks: { length } }: ReleaseDestination, isOneOfSeveral: boolean): string {
  const more = length === MISSING_LINKS_MAX ? 'At least ' : '';
  const files = formatCount(length, 'file on the start page does not load', 'files on the start page do not load');
  const where = isOneOfSeveral ? ` on ${PLATFORM_TITLES[platform]}` : '';
  return `${more}${files}${where}`;
}

function adviceFor({ url, missingLinks }: ReleaseDestination): string {
  const folder = URL.canParse(url) ? new URL(url).pathname.replace(/\/?$/, '/') : '/';
  if (folder === '/' || missingLinks.every((link) => link.startsWith(folder))) {
    const remedy = missingLinks.length === 1 ? 'Add the file or fix the link' : 'Add the files or fix the links';
    return `The page may look broken. ${remedy}, then publish again.`;
  }
  return `The page may look broken. The site’s address ends in ${folder}, and links that begin with a slash lead outside it. Publish again with relative links, or give the site a domain of its own.`;
}
