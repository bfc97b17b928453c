import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { useNavigate } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import type { Selection } from '../../uploads/selection/selection.ts';
import { setWaiting } from '../../uploads/waiting-selection.ts';

export type GoneNoticeProps = {
  /** The deployment's name. */
  name: string;
  /** The selection for it; null when its files are gone. */
  selection: Selection | null;
  onLeave: () => void;
};

/** Tells a person with files for a deployment that it was deleted, and leads on with them. */
export function GoneNotice({ name, selection, onLeave }: GoneNoticeProps) {
  const navigate = useNavigate();
  const publishAsNew = () => {
    onLeave();
    setWaiting(selection);
    navigate(paths.newDeployment);
  };
  return (
    <Notice
      tone="warn"
      title={`${name} was deleted`}
      className="mb-6"
      action={<Button onClick={publishAsNew}>Publish as a new deployment</Button>}
    >
      Your files were not published.{' '}
      {selection === null ? 'Choose them again to publish them elsewhere.' : 'They are still chosen.'}
    </Notice>
  );
}
