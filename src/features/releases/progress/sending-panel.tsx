import { CircleX } from 'lucide-react';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import type { Sending } from '../../../uploads/sendings.ts';
import { hasStopped } from '../release-badge.tsx';
import { AddressPanel, PanelFrame, PanelTitle } from './release-panels.tsx';
import { SendingNotices } from './sending-notices.tsx';

export type SendingPanelProps = {
  sending: Sending;
  platform: PlatformId;
  /** True while an earlier release is live at the address. */
  isOnline?: boolean;
  /** Chooses the folder again after it changed on the disk. */
  onReplace: () => void;
};

/** Shows the address of what this page sends, or in its place why that has stopped, with the button to continue. */
export function SendingPanel({ sending, platform, isOnline = false, onReplace }: SendingPanelProps) {
  const { deploymentId, deploymentName, url, failure } = sending;
  return (
    <>
      {!hasStopped(sending) && (
        <AddressPanel
          deploymentId={deploymentId}
          deploymentName={deploymentName}
          url={url}
          platform={platform}
          running={`Publishing ${deploymentName}`}
          isOnline={isOnline}
        />
      )}
      {failure?.isDeploymentGone === false && hasStopped(sending) && (
        <PanelFrame label="Stopped" platform={platform} name={deploymentName}>
          <PanelTitle icon={CircleX} look="bg-bad-soft text-bad">
            {deploymentName} was not published
          </PanelTitle>
          <p className="wrap-anywhere">
            <LinkedText text={failure.message} />
          </p>
          <p className="text-ink-muted wrap-anywhere">
            <LinkedText text={failure.hint ?? 'What arrived is not sent again.'} />
          </p>
          <div className="flex flex-wrap gap-2">
            {failure.isConnectionLost && <MendConnections deploymentId={deploymentId} />}
            {failure.isSelectionNeeded ? (
              <Button onClick={onReplace}>Choose it again</Button>
            ) : (
              <Button onClick={() => void sending.control.retry()}>Try again</Button>
            )}
          </div>
        </PanelFrame>
      )}
      <SendingNotices sending={sending} />
    </>
  );
}

function MendConnections({ deploymentId }: Pick<Sending, 'deploymentId'>) {
  // Earlier findings do not apply to this attempt.
  const { data } = trpc.deployments.get.useQuery({ deploymentId }, { refetchOnMount: 'always' });
  return data?.lostConnections.map((lost) => (
    <MendConnection key={`${lost.destinationId} ${lost.provider}`} lost={lost} />
  ));
}
