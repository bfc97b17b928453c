import { Link } from 'react-router';
import { setPendingDrop } from '../../api/pending-drop.ts';
import type { PickedFolder } from '../../api/upload-folder.ts';
import { Button } from '../../components/button.tsx';
import { href, paths } from '../../lib/paths.ts';
import { takeBuildFolder } from './folder-report.ts';
import { FolderSummary } from './folder-summary.tsx';
import { useFolderReport } from './use-folder-report.ts';

/** What a visitor dropped, read and understood, with the ways on. */
export function VisitorSummary({ folder }: { folder: PickedFolder }) {
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
              ? 'Nothing has left your computer yet. Keep this tab open: it waits here while you register.'
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
