import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
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
      {failure !== null && !failure.isDeploymentGone && (
        <Notice
          tone="bad"
          title={<LinkedText text={failure.message} />}
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
          <LinkedText text={failure.hint ?? 'What arrived is not sent again.'} />
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

/** Says that the chosen files are live already: nothing is under way, and a release is made only when the person asks for it. */
export function UnchangedNotice({ publication: { failure, control } }: Pick<SendingNoticesProps, 'publication'>) {
  return (
    <Notice
      tone="quiet"
      title={failure?.message}
      className="mb-6"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => void control.publishUnchanged()}>
            Publish anyway
          </Button>
          <Button size="sm" variant="quiet" onClick={() => control.forget()}>
            Dismiss
          </Button>
        </span>
      }
    >
      Visitors see these files already.
    </Notice>
  );
}

function MendConnections({ deploymentId }: Pick<Publication, 'deploymentId'>) {
  // Earlier findings do not apply to this attempt.
  const { data } = trpc.deployments.get.useQuery({ deploymentId }, { refetchOnMount: 'always' });
  return data?.lostConnections.map((lost) => (
    <MendConnection key={`${lost.destinationId} ${lost.provider}`} lost={lost} />
  ));
}
