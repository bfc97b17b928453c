import { Link } from 'wouter';
import { trpc } from '../../api/trpc.ts';
import { Notice } from '../../components/notice.tsx';
import { brokenLinksText, missingFilesText, remedyText } from '../../components/states/missing-text.ts';
import { href } from '../../lib/paths/paths.ts';
import { NeedsBuild } from './no-start-page.tsx';

export type MissingNoticeProps = {
  deploymentId: string;
  /** False while no plan is active, so that nothing is published. */
  mayChange: boolean;
};

/** Says in short what visitors of the live release do not get; its page names all of it. */
export function MissingNotice({ deploymentId, mayChange }: MissingNoticeProps) {
  const current = trpc.deployments.get.useQuery({ deploymentId }).data?.currentRelease;
  if (current?.needsBuild) return <NeedsBuild isReadOnly={!mayChange} />;
  if (!current?.missing) return null;
  const { files, links, example } = current.missing;
  const { number } = current;
  const texts = [files > 0 && `${missingFilesText(files)}.`, links > 0 && `${brokenLinksText(links)}.`];
  return (
    <Notice tone="warn" title={texts.filter(Boolean).join(' ')}>
      {files + links > 1 && 'For example, '}
      <span className="wrap-anywhere">{example}</span>. {mayChange && `${remedyText(files + links)} `}
      <Link to={href.release(deploymentId, number)} className="text-accent underline">
        See release {number}
      </Link>
    </Notice>
  );
}
