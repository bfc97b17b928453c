import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useNavigate } from '../../lib/location.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { href } from '../../lib/paths.ts';
import { LIVE_ONCE_COMPARED } from '../../lib/verification-text.ts';
import type { Publication } from '../../uploads/publications.ts';
import type { Selection } from '../../uploads/selection.ts';
import { ReleaseAddress } from './release-address.tsx';
import { SendingPanel } from './sending-panel.tsx';
import { isFirstCancellable, useCancelFirst } from './use-cancel-first.ts';
import { useLeadToRelease } from './use-lead-to-release.ts';

export type SendingFirstProps = { publication: Publication; onBack: (selection: Selection) => void };

/** The deployment exists from here on: its address is the real one. */
export function SendingFirst({ publication, onBack }: SendingFirstProps) {
  const navigate = useNavigate();
  const cancel = useCancelFirst(onBack);
  const { deploymentId, deploymentName } = publication;

  usePageTitle(deploymentName);
  useLeadToRelease(publication, { replace: true });

  return (
    <>
      <PageHeader
        title={deploymentName}
        description={<ReleaseAddress url={publication.url} />}
        actions={
          <Button onClick={() => cancel(publication)} disabled={!isFirstCancellable(publication)}>
            Cancel
          </Button>
        }
      />
      <SendingPanel
        publication={publication}
        onReplace={() => navigate(`${href.deployment(deploymentId)}#publish`)}
        aside={LIVE_ONCE_COMPARED}
      />
    </>
  );
}
