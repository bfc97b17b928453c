import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useWhenIdle } from '../../lib/later.ts';
import type { FolderReport } from './folder-report.ts';

const loadDialog = async () => ({ default: (await import('../../components/confirm-dialog.tsx')).ConfirmDialog });
const ConfirmDialog = lazy(loadDialog);

/**
 * A folder without an entry page answers "not found" at its address: before it is published the person is asked, once a
 * folder. `ask` goes on at once where there is nothing to ask.
 */
export function useEntryQuestion(report: FolderReport | null): {
  ask: (goOn: () => void) => void;
  question: ReactNode;
} {
  const [agreed, setAgreed] = useState<FolderReport['folder'] | null>(null);
  const [waiting, setWaiting] = useState<{ goOn: () => void } | null>(null);
  useWhenIdle(loadDialog);
  const folder = report?.folder ?? null;
  const isAsked = report !== null && report.inspection.entryPage === null && agreed !== folder;
  return {
    ask: (goOn) => {
      if (isAsked) setWaiting({ goOn });
      else goOn();
    },
    question: waiting !== null && report !== null && (
      <Suspense fallback={null}>
        <ConfirmDialog
          isOpen
          onOpenChange={(isOpen) => {
            if (!isOpen) setWaiting(null);
          }}
          title="Publish without a start page?"
          description={questionText(report.inspection)}
          confirmLabel="Publish anyway"
          isDestructive={false}
          onConfirm={() => {
            setAgreed(folder);
            setWaiting(null);
            waiting.goOn();
          }}
        />
      </Suspense>
    ),
  };
}

/** Names what visitors will see, and the better way where there is one. */
export function questionText({ buildFolder }: Pick<FolderReport['inspection'], 'buildFolder'>): string {
  const consequence =
    'There is no index.html at the top: who opens the address sees “not found”. Each file answers at its own address.';
  return buildFolder === null
    ? consequence
    : `${consequence} The folder ${buildFolder} inside looks finished: you can publish that one instead.`;
}
