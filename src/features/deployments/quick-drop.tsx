import { useNavigate } from 'react-router';
import { setPendingDrop } from '../../api/pending-drop.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import { useUser } from '../../api/user.ts';
import { paths } from '../../lib/paths.ts';
import { DropZone, type DropZoneProps } from './drop-zone.tsx';
import { FilesPart } from './files-part.tsx';
import { useChosenFiles } from './use-chosen-files.ts';
import { VisitorFooter } from './visitor-footer.tsx';

export type QuickDropProps = Required<Pick<DropZoneProps, 'shape'>> & { title: string; description: string };

/**
 * A place to drop a folder or a ZIP that leads on by itself: to Quick Deploy for who is signed in; a visitor sees it
 * read and understood first, and finds it again after registration and trial.
 */
export function QuickDrop(props: QuickDropProps) {
  const { user } = useUser();
  return user === null ? <VisitorDrop {...props} /> : <LeadingDrop {...props} />;
}

function VisitorDrop(props: QuickDropProps) {
  const files = useChosenFiles();
  return <FilesPart {...props} files={files} footer={files.report && <VisitorFooter report={files.report} />} />;
}

function LeadingDrop(props: QuickDropProps) {
  const navigate = useNavigate();
  const asked = useAskedFor(null);
  return (
    <DropZone
      {...props}
      asked={asked}
      onFolder={(folder) => {
        setPendingDrop(folder);
        void navigate(paths.quickDeploy);
      }}
    />
  );
}
