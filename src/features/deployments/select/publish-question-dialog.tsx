import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import type { PublishQuestion } from './publish-question.tsx';

export type PublishQuestionDialogProps = PublishQuestion & { onConfirm: () => void; onClose: () => void };

export function PublishQuestionDialog({ onClose, ...asked }: PublishQuestionDialogProps) {
  return (
    <ConfirmDialog isOpen onOpenChange={(isOpen) => !isOpen && onClose()} {...asked} confirmLabel="Publish anyway" />
  );
}
