import { useNavigate } from 'react-router';
import { cancelPublication, forgetPublication, type Publication } from '../../api/publication-store.ts';
import { trpc } from '../../api/trpc.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { href } from '../../lib/paths.ts';
import { ReleaseAddress } from './release-address.tsx';
import { SendingPanel } from './sending-panel.tsx';
import { useLeadToRelease } from './use-lead-to-release.ts';

export type SendingFirstProps = { publication: Publication; onBack: (folder: Picked) => void };

/** The deployment exists from here on: its address is the real one. */
export function SendingFirst({ publication, onBack }: SendingFirstProps) {
  const navigate = useNavigate();
  const remove = trpc.deployments.remove.useMutation();
  const { deploymentId, deploymentName, state, folder } = publication;

  usePageTitle(deploymentName);
  useLeadToRelease(publication, { replace: true });

  /** Nothing of it was ever published: cancelling takes the draft away and keeps the folder. */
  function cancel() {
    cancelPublication(deploymentId);
    remove.mutate({ deploymentId });
    forgetPublication(deploymentId);
    onBack(folder);
  }

  return (
    <>
      <PageHeader
        title={deploymentName}
        description={<ReleaseAddress url={publication.url} />}
        actions={
          <Button onClick={cancel} disabled={state === 'creating' || state === 'done'}>
            Cancel
          </Button>
        }
      />
      <SendingPanel
        publication={publication}
        onReplace={() => void navigate(`${href.deployment(deploymentId)}#publish`)}
        aside="The site is live once every file was fetched and compared."
      />
    </>
  );
}
