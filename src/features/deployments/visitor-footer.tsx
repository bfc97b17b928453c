import { Link } from 'react-router';
import { Button } from '../../components/button.tsx';
import { href, paths } from '../../lib/paths.ts';
import { FilesFooter } from './files-footer.tsx';
import type { FolderReport } from './folder-report.ts';

/** The ways on for a visitor who dropped something. */
export function VisitorFooter({ report }: { report: FolderReport }) {
  if (report.reading.refusal !== null) return <FilesFooter text="Nothing has left your computer." />;
  return (
    <FilesFooter text="Nothing has left your computer yet. It waits in this tab while you register, also through a reload.">
      <div className="flex flex-wrap gap-2">
        <Button asChild>
          <Link to={href.auth(paths.newDeployment)}>Log in</Link>
        </Button>
        <Button variant="primary" asChild>
          <Link to={paths.register}>Register to publish</Link>
        </Button>
      </div>
    </FilesFooter>
  );
}
