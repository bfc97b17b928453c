import type { ReleaseDestination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import type { ReleaseDetail } from '../../../../routers/schemas/releases.ts';
import { Notice } from '../../../components/notice.tsx';
import { brokenLinksText, missingFilesText, remedyText } from '../../../components/states/missing-text.ts';
import { NeedsBuild, NoStartPage } from '../no-start-page.tsx';

export type MissingLinksProps = {
  release: Pick<ReleaseDetail, 'destinations' | 'hasStartPage' | 'needsBuild' | 'brokenLinks'>;
  /** True while no plan is active, so that nothing is published. */
  isReadOnly: boolean;
};

/**
 * Lists files of the entry page that do not load, at each platform concerned, or says there is no page, and lists links
 * that lead nowhere. Where a build is needed, it says no more than that. The way to publish again is below the steps of
 * the release.
 */
export function MissingLinks({ release, isReadOnly }: MissingLinksProps) {
  const { destinations, hasStartPage, needsBuild, brokenLinks } = release;
  if (needsBuild) return <NeedsBuild isReadOnly={isReadOnly} className="mb-6" />;
  return (
    <>
      {!hasStartPage && <NoStartPage isReadOnly={isReadOnly} className="mb-6" />}
      {hasStartPage &&
        destinations
          .filter(({ missingLinks }) => missingLinks.length > 0)
          .map((destination) => (
            <Notice
              key={destination.id}
              tone="warn"
              title={titleOf(destination, destinations.length > 1)}
              className="mb-6"
            >
              <p>The page may look broken.{!isReadOnly && ` ${adviceFor(destination)}`}</p>
              <List texts={destination.missingLinks} />
            </Notice>
          ))}
      {brokenLinks.length > 0 && (
        <Notice tone="warn" title={brokenLinksText(brokenLinks.length)} className="mb-6">
          {!isReadOnly && <p>{remedyText(brokenLinks.length)}</p>}
          <List texts={brokenLinks.map(({ path, line, text }) => `${path}, line ${line}: ${text}`)} />
        </Notice>
      )}
    </>
  );
}

function List({ texts }: { texts: readonly string[] }) {
  return (
    <ul className="mt-2 max-h-60 overflow-auto font-mono text-xs">
      {[...new Set(texts)].map((text) => (
        <li key={text} className="wrap-anywhere">
          {text}
        </li>
      ))}
    </ul>
  );
}

function titleOf({ platform, missingLinks }: ReleaseDestination, isOneOfSeveral: boolean): string {
  return `${missingFilesText(missingLinks.length)}${isOneOfSeveral ? ` on ${PLATFORM_TITLES[platform]}` : ''}`;
}

function adviceFor({ url, missingLinks }: ReleaseDestination): string {
  const folder = URL.canParse(url) ? new URL(url).pathname.replace(/\/?$/, '/') : '/';
  if (folder === '/' || missingLinks.every((link) => link.startsWith(folder))) {
    return remedyText(missingLinks.length);
  }
  return `The site’s address ends in ${folder}, and links that begin with a slash lead outside it. Publish again with relative links, or give the site a domain of its own.`;
}
