import { createRoot } from 'react-dom/client';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { isUnderWay, sendings } from '../../uploads/sendings.ts';
import { heldSendings } from '../../uploads/sent-elsewhere.ts';

let asked: Promise<boolean> | null = null;

/** Asks whether to log out while files are being sent, once for a double click; true at once when none are. */
export function askToLogOut(): Promise<boolean> {
  asked ??= ask().finally(() => {
    asked = null;
  });
  return asked;
}

async function ask(): Promise<boolean> {
  const ownPage = sendings.get();
  const isElsewhere = (id: string) => ownPage.every(({ deploymentId }) => deploymentId !== id);
  const own = ownPage.filter(isUnderWay).map(({ deploymentName }) => deploymentName);
  const held = (await heldSendings()).map(({ deployment }) => deployment);
  const others = held.filter(({ id }) => isElsewhere(id)).map(({ name }) => name);
  if (own.length + others.length === 0) return true;
  // A root of its own: the menu or palette that asks is gone by then.
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  return new Promise((resolve) => {
    const answer = (isWanted: boolean) => {
      root.unmount();
      place.remove();
      resolve(isWanted);
    };
    root.render(<LogoutQuestion own={own} others={others} onAnswer={answer} />);
  });
}

type LogoutQuestionProps = {
  /** Names of the deployments that this page sends files to. */
  own: readonly string[];
  /** Those that other tabs of this browser send files to. */
  others: readonly string[];
  onAnswer: (isWanted: boolean) => void;
};

function LogoutQuestion({ own, others, onAnswer }: LogoutQuestionProps) {
  const names = new Intl.ListFormat('en').format([...own, ...others]);
  const verb = own.length + others.length === 1 ? 'is' : 'are';
  const isHere = others.length === 0;
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={() => onAnswer(false)}
      title="Log out while files are being sent?"
      description={
        <p className="wrap-anywhere">
          {names} {verb} being sent{own.length === 0 && ' from another tab'}. Logging out stops that. Log in again to
          finish it, and keep {isHere ? 'this page' : 'the tabs that send'} open until then.
        </p>
      }
      confirmLabel="Log out"
      variant="primary"
      onConfirm={() => onAnswer(true)}
    />
  );
}
