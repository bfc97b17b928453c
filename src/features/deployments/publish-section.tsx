import { useState } from 'react';
import { Link } from 'react-router';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { paths } from '../../lib/paths.ts';
import { DropZone } from './drop-zone.tsx';
import { useEntryQuestion } from './entry-question.tsx';
import { type FolderReport, folderNoun, takeBuildFolder } from './folder-report.ts';
import { FolderSummaryLater } from './folder-summary-later.tsx';
import { useFolderReport } from './use-folder-report.ts';

export type PublishSectionProps = {
  deployment: Deployment;
  isReadOnly: boolean;
  /** "Publish again" led here: the place for the files says what to do. */
  isWanted: boolean;
  onPublish: (report: FolderReport) => void;
};

/** Drop the folder or ZIP again: what the server already holds is not sent again. */
export function PublishSection({ deployment, isReadOnly, isWanted, onPublish }: PublishSectionProps) {
  const [folder, setFolder] = useState<Picked | null>(null);
  const asked = useAskedFor(deployment.id);
  const { report, setPublishAnyway } = useFolderReport(folder, asked);
  const { ask, question } = useEntryQuestion(report);
  const isFirst = deployment.releaseCount === 0;
  const isBusy = deployment.state === 'deploying';

  if (isReadOnly) {
    return (
      <Notice
        tone="accent"
        title="Read-only"
        action={
          <Button asChild>
            <Link to={paths.subscriptionPricing}>See the plans</Link>
          </Button>
        }
      >
        What is live stays live. A plan is needed to publish again.
      </Notice>
    );
  }
  if (folder === null || report === null) {
    return (
      <DropZone
        shape={isFirst ? 'tall' : 'wide'}
        {...placeWords(isFirst, isWanted)}
        isWanted={isWanted}
        asked={asked}
        isRestoring={folder !== null}
        onFolder={setFolder}
      />
    );
  }
  const build = takeBuildFolder(report);
  return (
    <FolderSummaryLater
      report={report}
      onReplace={() => setFolder(null)}
      onPublishAnyway={setPublishAnyway}
      onTakeBuildFolder={build === null ? null : () => setFolder(build)}
      footer={
        <div className="flex flex-wrap items-center justify-between gap-3 p-4 sm:px-5">
          <p className="min-w-0 text-sm text-ink-muted">{publishHint(deployment, report)}</p>
          <Button
            variant="primary"
            disabled={isBusy || report.reading.refusal !== null}
            onClick={() =>
              ask(() => {
                onPublish(report);
                setFolder(null);
              })
            }
          >
            Publish
          </Button>
          {question}
        </div>
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

function publishHint({ state, currentRelease, releaseCount }: Deployment, { reading, folder }: FolderReport): string {
  if (reading.refusal !== null) return `The ${folderNoun(folder)} cannot be published as it is.`;
  if (state === 'deploying') return 'A release is on its way. Publish when it is done.';
  if (currentRelease === null) return `It becomes release ${releaseCount + 1}.`;
  return `It becomes release ${releaseCount + 1}. Release ${currentRelease.number} stays live until then.`;
}
