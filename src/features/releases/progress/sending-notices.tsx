import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { type Publication, useIsWaiting } from '../../../uploads/publications.ts';
import { GoneNotice } from '../gone-notice.tsx';

export type SendingNoticesProps = {
  publication: Publication;
  /** Chooses the folder again after it changed on the disk. */
  onReplace: () => void;
};

/** Shows why a publication stopped or waits, each with the button to continue. */
export function SendingNotices({ publication, onReplace }: SendingNoticesProps) {
  const { failure, control } = publication;
  const isWaiting = useIsWaiting(publication);
  return (
    <>
      {failure?.isDeploymentGone === true && (
        <GoneNotice
          name={publication.deploymentName}
          selection={publication.isRestored ? null : publication.selection}
          onLeave={() => {
            control.cancel();
            control.forget();
          }}
        />
      )}
      {failure?.isUnchanged === true && (
        <Notice
          tone="accent"
          title={failure.message}
          className="mb-6"
          action={<Button onClick={() => void control.publishUnchanged()}>Publish anyway</Button>}
        >
          No file was changed, added or removed: visitors would see no difference. Cancel leaves everything as it is.
        </Notice>
      )}
      {failure !== null && !failure.isUnchanged && !failure.isDeploymentGone && (
        <Notice
          tone="bad"
          title={failure.message}
          className="mb-6"
          action={
            failure.isSelectionNeeded ? (
              <Button onClick={onReplace}>Choose it again</Button>
            ) : (
              <>
                {failure.isConnectionLost && <MendConnections deploymentId={publication.deploymentId} />}
                <Button onClick={() => void control.retry()}>Try again</Button>
              </>
            )
          }
        >
          {failure.hint ?? 'What arrived is not sent again.'}
        </Notice>
      )}
      {isWaiting && (
        <Notice tone="warn" title="Waiting for the network" className="mb-6">
          It continues as soon as the server answers.
        </Notice>
      )}
    </>
  );
}

function MendConnections({ deploymentId }: Pick<Publication, 'deploymentId'>) {
  // Earlier findings do not apply to this attempt.
  const { data } = trpc.deployments.get.useQuery({ deploymentId }, { refetchOnMount: 'always' });
  return data?.lostConnections.map((lost) => (
    <MendConnection key={`${lost.destinationId} ${lost.provider}`} lost={lost} />
  ));
}
