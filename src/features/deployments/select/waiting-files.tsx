import { Link } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { paths } from '../../../lib/paths/paths.ts';
import { type Selection, selectionNoun, selectionTitle } from '../../../uploads/selection/selection.ts';
import { setWaiting } from '../../../uploads/waiting-selection.ts';

/** Names what was chosen before and is not published yet. */
export function WaitingFiles({ selection }: { selection: Selection }) {
  return (
    <Notice
      tone="quiet"
      title={selectionTitle(selection)}
      className="mb-3"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" asChild>
            <Link to={paths.newDeployment}>Go on</Link>
          </Button>
          <Button size="sm" variant="quiet" onClick={() => setWaiting(null)}>
            Discard
          </Button>
        </span>
      }
    >
      Your {selectionNoun(selection)} waits to be published.
    </Notice>
  );
}
