import { setChosen, useChosen } from '../../uploads/chosen-selections.ts';
import { isOver, useSending } from '../../uploads/sendings.ts';
import { GoneNotice } from './gone-notice.tsx';
import { SendingNotices } from './progress/sending-notices.tsx';

/** Shows the files that the person had chosen or was sending when the deployment was deleted somewhere else. */
export function GoneFiles({ deploymentId, name }: { deploymentId: string; name: string | undefined }) {
  const sending = useSending(deploymentId);
  const chosen = useChosen(deploymentId);
  if (sending !== null && !isOver(sending)) return <SendingNotices sending={sending} isGone />;
  if (chosen === null) return null;
  return (
    <GoneNotice name={name ?? 'This deployment'} selection={chosen} onLeave={() => setChosen(deploymentId, null)} />
  );
}
