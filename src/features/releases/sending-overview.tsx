import type { ReleaseRef } from '../../../routers/schemas/deployments.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/toast-store.ts';
import type { Publication } from '../../uploads/publications.ts';
import type { Selection } from '../../uploads/selection.ts';
import { cancelledToast } from './release-labels.ts';
import { SendingPanel } from './sending-panel.tsx';

export type SendingOverviewProps = {
  publication: Publication;
  serving: ReleaseRef | null;
  /** The files, when they are not to be published now and are still at hand. */
  onBack: (selection: Selection) => void;
};

/** Shows a selection on its way to a deployment that stands, in the place of what the deployment shows else. */
export function SendingOverview({ publication, serving, onBack }: SendingOverviewProps) {
  const leave = () => {
    publication.control.cancel();
    publication.control.forget();
  };
  const cancel = () => {
    leave();
    if (!publication.isRestored) onBack(publication.selection);
    showToast(cancelledToast(serving === null ? null : serving.number, !publication.isRestored));
  };
  return (
    <>
      <SendingPanel
        publication={publication}
        onReplace={leave}
        aside={serving === null ? 'Nothing is live yet.' : `Release ${serving.number} stays live.`}
      />
      <Button className="mt-4" onClick={cancel} disabled={publication.state === 'creating'}>
        Cancel
      </Button>
    </>
  );
}
