import { Link } from 'wouter';
import { useUser } from '../../../api/user.ts';
import { Button } from '../../../components/button.tsx';
import { href, paths } from '../../../lib/paths/paths.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { selectionNoun } from '../../../uploads/selection/selection.ts';
import { FilesFooter, FilesStep } from '../select/files-step.tsx';
import { useWaitingSelection } from '../select/use-chosen-selection.ts';
import { LeadingDrop, type LeadingDropProps } from './leading-drop.tsx';

/**
 * Takes a folder or a ZIP and leads on automatically: a signed-in person to Quick Deploy; a visitor sees it inspected
 * first, and finds it again after registration and trial.
 */
export function QuickDrop(props: LeadingDropProps) {
  const { user } = useUser();
  return user === null ? <VisitorDrop {...props} /> : <LeadingDrop {...props} />;
}

function VisitorDrop(props: LeadingDropProps) {
  const chosen = useWaitingSelection();
  const { report } = chosen;
  return <FilesStep {...props} chosen={chosen} footer={report && <VisitorFooter report={report} />} />;
}

/** Shows a visitor who dropped something how to go on. */
function VisitorFooter({ report: { reading, selection } }: { report: SelectionReport }) {
  const noun = selectionNoun(selection);
  if (reading.refusal !== null) return <FilesFooter text="Nothing has been uploaded." />;
  return (
    <FilesFooter
      text={`Nothing has been uploaded. Your ${noun} stays in this tab while you register, even if you reload.`}
    >
      <div className="flex flex-wrap gap-2">
        <Button asChild>
          <Link to={href.login(paths.newDeployment)}>Log in</Link>
        </Button>
        <Button variant="primary" asChild>
          <Link to={paths.register}>Register to publish</Link>
        </Button>
      </div>
    </FilesFooter>
  );
}
