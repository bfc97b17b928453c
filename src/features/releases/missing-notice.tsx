import { Link } from 'wouter';
import { trpc } from '../../api/trpc.ts';
import { Notice } from '../../components/notice.tsx';
import { href } from '../../lib/paths/paths.ts';
import { brokenLinksText, missingFilesText, remedyText } from './missing-text.ts';

/** Says in short what visitors of the live release do not get; its page names all of it. */
export function MissingNotice({ deploymentId }: { deploymentId: string }) {
  const current = trpc.deployments.get.useQuery({ deploymentId }).data?.currentRelease;
  if (!current?.missing) return null;
  const { files, links, example } = current.missing;
  const more = files + links - 1;
  const texts = [files > 0 && `${missingFilesText(files)}.`, links > 0 && `${brokenLinksText(links)}.`];
  return (
    <Notice tone="warn" title={texts.filter(Boolean).join(' ')}>
      <span className="wrap-anywhere">{example}</span>
      {more > 0 && (
        <>
          {', and '}
          <Link to={href.release(deploymentId, current.number)} className="text-accent underline">
            {more} more
          </Link>
        </>
      )}
      . {remedyText(files + links)}
    </Notice>
  );
}
