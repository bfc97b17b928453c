import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { type Sending, useIsWaiting } from '../../../uploads/sendings.ts';
import { GoneNotice } from '../gone-notice.tsx';

/** Shows that the deployment is gone, which the page may know by itself (`isGone`), or that the sending waits. */
export function SendingNotices({ sending, isGone = false }: { sending: Sending; isGone?: boolean }) {
  const { failure, control } = sending;
  const isWaiting = useIsWaiting(sending);
  return (
    <>
      {failure !== null && (isGone || failure.isDeploymentGone === true) && (
        <GoneNotice
          name={sending.deploymentName}
          selection={sending.isRestored ? null : sending.selection}
          onLeave={() => {
            control.cancel();
            control.forget();
          }}
        />
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
export function UnchangedNotice({ sending: { failure, control } }: { sending: Sending }) {
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
