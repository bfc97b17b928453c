import { Link } from 'react-router';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { trpc } from '../../api/trpc.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { paths } from '../../lib/paths.ts';
import { useEntryQuestion } from './entry-question.tsx';
import { FilesFooter } from './files-footer.tsx';
import { FilesPart } from './files-part.tsx';
import { type FolderReport, refusalText } from './folder-report.ts';
import { readOnlyWords } from './plan-words.ts';
import { usePageFiles } from './use-page-files.ts';

export type PublishSectionProps = {
  deployment: Deployment;
  isReadOnly: boolean;
  /** "Publish again" led here: the place for the files says what to do. */
  isWanted: boolean;
  /** What was being sent when it was cancelled. */
  givenBack: Picked | null;
  onPublish: (report: FolderReport) => void;
};

/** Drop the folder or ZIP again: what the server already holds is not sent again. */
export function PublishSection({ deployment, isReadOnly, isWanted, givenBack, onPublish }: PublishSectionProps) {
  const files = usePageFiles(useAskedFor(deployment.id), givenBack);
  const { report } = files;
  const { ask, question } = useEntryQuestion(report);
  const plan = readOnlyWords(trpc.subscription.allowance.useQuery().data);
  const isFirst = deployment.releaseCount === 0;
  const isBusy = deployment.state === 'deploying';

  if (isReadOnly) {
    return (
      <Notice
        tone="accent"
        title="Read-only"
        action={
          <Button asChild>
            <Link to={paths.subscriptionPricing}>{plan.action}</Link>
          </Button>
        }
      >
        What is live stays live. {plan.text}
      </Notice>
    );
  }
  return (
    <FilesPart
      files={files}
      shape={isFirst ? 'tall' : 'wide'}
      {...placeWords(isFirst, isWanted)}
      isWanted={isWanted}
      footer={
        report !== null && (
          <FilesFooter text={publishHint(deployment, report)}>
            <Button
              variant="primary"
              disabled={isBusy || report.reading.refusal !== null}
              onClick={() =>
                ask(() => {
                  onPublish(report);
                  files.choose(null);
                })
              }
            >
              Publish
            </Button>
            {question}
          </FilesFooter>
        )
      }
    />
  );
}

function placeWords(isFirst: boolean, isWanted: boolean): { title: string; description: string } {
  if (isFirst) {
    return { title: 'Drop a folder or a ZIP to publish it', description: 'It stays private until you publish.' };
  }
  return isWanted
    ? {
        title: 'Choose the changed folder or ZIP',
        description: 'Or drop it anywhere on this page. You see what is in it before anything is published.',
      }
    : { title: 'Drop a folder or a ZIP to publish again', description: 'Only what changed is sent.' };
}

function publishHint({ state, currentRelease, releaseCount }: Deployment, report: FolderReport): string {
  const refusal = refusalText(report);
  if (refusal !== null) return refusal;
  if (state === 'deploying') return 'A release is on its way. Publish when it is done.';
  if (currentRelease === null) return `It becomes release ${releaseCount + 1}.`;
  return `It becomes release ${releaseCount + 1}. Release ${currentRelease.number} stays live until then.`;
}
