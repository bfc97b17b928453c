import type { ReleaseRef } from '../../../routers/schemas/deployments.ts';
import { cancelPublication, forgetPublication, type Publication } from '../../api/publication-store.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/toast-store.ts';
import { cancelledToast } from './release-words.ts';
import { SendingPanel } from './sending-panel.tsx';

export type SendingOverviewProps = {
  publication: Publication;
  serving: ReleaseRef | null;
  /** The files, when they are not to be published now and are still at hand. */
  onBack: (folder: Picked) => void;
};

/** A folder on its way to a deployment that stands, in the place of what the deployment shows else. */
export function SendingOverview({ publication, serving, onBack }: SendingOverviewProps) {
  const leave = () => {
    cancelPublication(publication.deploymentId);
    forgetPublication(publication.deploymentId);
  };
  const cancel = () => {
    leave();
    if (!publication.isFromCopy) onBack(publication.folder);
    showToast(cancelledToast(serving === null ? null : serving.number, !publication.isFromCopy));
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
