import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';

/** Warns before publishing that a platform will refuse it, and links to the remedy. */
export function LostConnectionNotices({ deployment }: { deployment: Deployment }) {
  const stays = deployment.currentRelease === null ? '' : ' What is live stays live.';
  return deployment.lostConnections.map((lost) => {
    const title = PLATFORM_TITLES[lost.provider];
    const isGone = lost.connectionId === null;
    return (
      <Notice
        key={`${lost.destinationId} ${lost.provider}`}
        tone="bad"
        className="mb-6"
        title={isGone ? `${title} is no longer connected` : `${title} no longer accepts the token`}
        action={<MendConnection lost={lost} />}
      >
        <LinkedText text={`${lost.message}${stays}`} />
        {isGone && ` To publish again, connect the same account at ${title}.`}
      </Notice>
    );
  });
}
