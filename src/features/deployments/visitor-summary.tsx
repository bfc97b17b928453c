import { Link } from 'react-router';
import { setPendingDrop } from '../../api/pending-drop.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { href, paths } from '../../lib/paths.ts';
import { takeBuildFolder } from './folder-report.ts';
import { FolderSummary } from './folder-summary.tsx';
import { useFolderReport } from './use-folder-report.ts';

/** What a visitor dropped, read and understood, with the ways on. */
export function VisitorSummary({ folder }: { folder: Picked }) {
  const { report, setPublishAnyway } = useFolderReport(folder, useAskedFor(null));
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
              ? 'Nothing has left your computer yet. It waits in this tab while you register, also through a reload.'
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
