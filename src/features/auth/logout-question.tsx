import { createRoot } from 'react-dom/client';
import { session } from '../../api/session/session.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { findReceiving, type ReceivingDeployment } from '../../uploads/receiving-deployments.ts';

/** Asks whether to log out while files are being sent; true at once when none are. */
export async function askToLogOut(): Promise<boolean> {
  const sending = await findReceiving();
  if (sending.length === 0) return true;
  // A root of its own: the menu or palette that asks is gone by then.
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  return new Promise((resolve) => {
    const answer = (isWanted: boolean) => {
      stopListening();
      root.unmount();
      place.remove();
      resolve(isWanted);
    };
    // The question is about this session alone.
    const stopListening = session.onAccountChange(() => answer(false));
    root.render(<LogoutQuestion sending={sending} onAnswer={answer} />);
  });
}

type LogoutQuestionProps = { sending: readonly ReceivingDeployment[]; onAnswer: (isWanted: boolean) => void };

function LogoutQuestion({ sending, onAnswer }: LogoutQuestionProps) {
  const names = new Intl.ListFormat('en').format(sending.map(({ name }) => name));
  const isOnlyHere = sending.every(({ isHere }) => isHere);
  const isElsewhere = sending.every(({ isHere }) => !isHere);
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={() => onAnswer(false)}
      title="Log out while files are being sent?"
      description={
        <p className="wrap-anywhere">
          {names} {sending.length === 1 ? 'is' : 'are'} being sent{isElsewhere && ' from another tab'}. Logging out
          stops that. Log in again to finish it, and keep {isOnlyHere ? 'this tab' : 'the tabs that send'} open until
          then.
        </p>
      }
      confirmLabel="Log out"
      variant="primary"
      onConfirm={() => onAnswer(true)}
    />
  );
}
