import type { ReleaseRef } from '../../../routers/schemas/deployments.ts';
import { cancelPublication, forgetPublication, type Publication } from '../../api/publication-store.ts';
import { Button } from '../../components/button.tsx';
import { SendingPanel } from './sending-panel.tsx';

/** A folder on its way to a deployment that stands, in the place of what the deployment shows else. */
export function SendingOverview({ publication, serving }: { publication: Publication; serving: ReleaseRef | null }) {
  const cancel = () => {
    cancelPublication(publication.deploymentId);
    forgetPublication(publication.deploymentId);
  };
  return (
    <>
      <SendingPanel
        publication={publication}
        onReplace={cancel}
        aside={serving === null ? 'Nothing is live yet.' : `Release ${serving.number} stays live.`}
      />
      <Button className="mt-4" onClick={cancel} disabled={publication.state === 'creating'}>
        Cancel
      </Button>
    </>
  );
}
