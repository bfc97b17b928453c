import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import type { PublishQuestion } from './publish-question.tsx';
import { StartPageOffer } from './start-page-offer.tsx';

export type PublishQuestionDialogProps = PublishQuestion & { onConfirm: () => void; onClose: () => void };

export function PublishQuestionDialog({ onClose, offer, ...asked }: PublishQuestionDialogProps) {
  return (
    <ConfirmDialog isOpen onOpenChange={(isOpen) => !isOpen && onClose()} {...asked} confirmLabel="Publish anyway">
      {offer && (
        <StartPageOffer
          report={offer.report}
          onCopy={(copy) => {
            onClose();
            offer.onCopy(copy);
          }}
        />
      )}
    </ConfirmDialog>
  );
}
