import { useEffect } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Button } from '../../../components/button.tsx';
import { FactList } from '../../../components/lists/fact-list.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Stepper } from '../../../components/page/stepper.tsx';
import { Size } from '../../../components/size.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { paths } from '../../../lib/paths/paths.ts';
import { LIVE_ONCE_COMPARED } from '../../../lib/verification-text.ts';
import type { Sending } from '../../../uploads/sendings.ts';
import { hasStopped, SendingBadge } from '../release-badge.tsx';
import { servingText } from '../release-labels.ts';
import { ReleaseFrame } from './release-frame.tsx';
import { PlatformSteps } from './release-steps.tsx';
import { SendingNotices } from './sending-notices.tsx';
import { SendingPanel } from './sending-panel.tsx';
import { comingSteps, sendingSteps } from './sending-steps.tsx';
import { useLeadToRelease } from './use-lead-to-release.ts';

export type SendingReleaseProps = {
  sending: Sending;
  /** The number of the future release. */
  number: number;
  platform: PlatformId;
  /** The platforms that follow the first one. */
  others?: readonly PlatformId[];
  /** The release that keeps serving meanwhile; null when there is none. */
  serving: { number: number } | null;
  /** Null at the moment when it becomes a release and can only be cancelled as one. */
  onCancel: (() => void) | null;
  /** Chooses the folder again after it changed on the disk. */
  onReplace: () => void;
};

/** The page of a release before the server has it: the same one, as far as this page knows. */
export function SendingRelease(props: SendingReleaseProps) {
  const { sending, number, platform, others = [], serving, onCancel, onReplace } = props;
  const { deploymentId, deploymentName, extent } = sending;
  const platforms = [platform, ...others];
  const filesThere = sending.progress?.filesThere ?? 0;
  usePageTitle(`Release ${number}`);
  useLeadToRelease(sending, { replace: sending.isNew });
  useEffect(arrive, []);
  if (sending.failure?.isDeploymentGone) return <Gone sending={sending} />;
  return (
    <ReleaseFrame
      number={number}
      deployment={{ id: deploymentId, name: deploymentName }}
      badge={<SendingBadge sending={sending} />}
      actions={
        <Button onClick={onCancel ?? undefined} disabled={onCancel === null}>
          Cancel
        </Button>
      }
      top={<SendingPanel sending={sending} platform={platform} isOnline={serving !== null} onReplace={onReplace} />}
      steps={<Steps sending={sending} platforms={platforms} />}
      afterSteps={
        hasStopped(sending) ? (
          servingText(serving?.number ?? null)
        ) : (
          <p>
            {serving === null
              ? LIVE_ONCE_COMPARED
              : `Release ${serving.number} stays live until release ${number} has been checked.`}
            {sending.result === null && ' Keep this tab open until the files are sent.'}
          </p>
        )
      }
      aside={
        <FactList
          facts={[
            {
              name: others.length > 0 ? 'Platforms' : 'Platform',
              value: platforms.map((one) => PLATFORMS[one].title).join(', '),
            },
            { name: 'Files', value: extent.fileCount.toLocaleString('en') },
            { name: 'Size', value: <Size bytes={extent.totalBytes} /> },
            // The progress counts the others.
            ...(filesThere > 0 ? [{ name: 'Already there', value: formatCount(filesThere, 'file') }] : []),
          ]}
        />
      }
    />
  );
}

/** Stands where nothing is left to send to. */
function Gone({ sending }: Pick<SendingReleaseProps, 'sending'>) {
  const { deploymentName } = sending;
  return (
    <>
      <PageHeader
        title={deploymentName}
        crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: deploymentName }]}
      />
      <SendingNotices sending={sending} />
    </>
  );
}

type StepsProps = { sending: Sending; platforms: readonly PlatformId[] };

function Steps({ sending, platforms }: StepsProps) {
  const first = hasStopped(sending) ? 'failed' : 'publishing';
  return (
    <PlatformSteps
      primaryId="0"
      destinations={platforms.map((platform, index) => ({
        id: String(index),
        platform,
        state: index === 0 ? first : 'idle',
        error: null,
      }))}
      renderSteps={(label, place) => (
        <Stepper label={label} steps={place?.id === '0' ? sendingSteps(sending) : comingSteps()} />
      )}
    />
  );
}

/** Scrolls to the top, because this replaces the page on which Publish was pressed, perhaps far down. */
function arrive(): void {
  window.scrollTo(0, 0);
  document.getElementById('content')?.focus({ preventScroll: true });
}
