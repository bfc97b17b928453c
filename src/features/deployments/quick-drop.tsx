import { Link, useNavigate } from 'react-router';
import { setPendingDrop, usePendingDrop } from '../../api/pending-drop.ts';
import type { PickedFolder } from '../../api/upload-folder.ts';
import { useUser } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { href, paths } from '../../lib/paths.ts';
import { DropZone, type DropZoneProps } from './drop-zone.tsx';
import { FolderSummary } from './folder-summary.tsx';
import { takeBuildFolder } from './inspect-folder.ts';
import { useFolderReport } from './use-folder-report.ts';

export type QuickDropProps = Pick<DropZoneProps, 'title' | 'description' | 'shape'>;

/**
 * A place to drop a folder that leads on by itself: to New Deployment for who is signed in; a visitor sees the folder
 * read and understood first, and finds it again after registration and trial.
 */
export function QuickDrop(props: QuickDropProps) {
  const navigate = useNavigate();
  const { user } = useUser();
  const pending = usePendingDrop();
  const isVisitor = user === null;

  function take(folder: PickedFolder) {
    setPendingDrop(folder);
    if (!isVisitor) void navigate(paths.newDeployment);
  }

  if (isVisitor && pending !== null) return <VisitorSummary folder={pending} />;
  return <DropZone {...props} onFolder={take} />;
}

function VisitorSummary({ folder }: { folder: PickedFolder }) {
  const { report, setPublishAnyway } = useFolderReport(folder);
  if (report === null) return null;
  const build = takeBuildFolder(report);
  return (
    <FolderSummary
      report={report}
      onReplace={() => setPendingDrop(null)}
      onPublishAnyway={setPublishAnyway}
      onTakeBuildFolder={build === null ? null : () => setPendingDrop(build)}
      footer={
        <div className="flex flex-wrap items-center justify-between gap-3 p-4 sm:px-5">
          <p className="min-w-0 text-ink-muted">
            {report.reading.refusal === null
              ? 'Nothing has left your computer yet. It waits here while you register.'
              : 'Nothing has left your computer.'}
          </p>
          {report.reading.refusal === null && (
            <div className="flex flex-wrap gap-2">
              <Button asChild>
                <Link to={href.auth(paths.newDeployment)}>Log in</Link>
              </Button>
              <Button variant="primary" asChild>
                <Link to={paths.register}>Register to publish</Link>
              </Button>
            </div>
          )}
        </div>
      }
    />
  );
}
