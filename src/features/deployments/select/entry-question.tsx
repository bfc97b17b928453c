import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import type { SelectionReport } from '../../../uploads/inspect.ts';

/**
 * Asks the person, once for each selection, before a folder without an entry page is published, which answers "not
 * found" at its address. `ask` continues at once when there is nothing to ask.
 */
export function useEntryQuestion(report: SelectionReport | null): {
  ask: (goOn: () => void) => void;
  question: ReactNode;
} {
  const [agreed, setAgreed] = useState<SelectionReport['selection'] | null>(null);
  const [waiting, setWaiting] = useState<{ goOn: () => void } | null>(null);
  const selection = report?.selection ?? null;
  const isAsked = report !== null && report.inspection.entryPage === null && agreed !== selection;
  return {
    ask: (goOn) => {
      if (isAsked) setWaiting({ goOn });
      else goOn();
    },
    question: waiting !== null && report !== null && (
      <ConfirmDialog
        isOpen
        onOpenChange={(isOpen) => {
          if (!isOpen) setWaiting(null);
        }}
        title="Publish without a start page?"
        description={questionText(report.inspection)}
        confirmLabel="Publish anyway"
        variant="primary"
        onConfirm={() => {
          setAgreed(selection);
          setWaiting(null);
          waiting.goOn();
        }}
      />
    ),
  };
}

export function questionText({ buildFolder }: Pick<SelectionReport['inspection'], 'buildFolder'>): string {
  const consequence =
    'There is no index.html at the top: anyone who opens the address sees “not found”. Each file can still be opened at its own address.';
  return buildFolder === null
    ? consequence
    : `${consequence} The folder ${buildFolder} looks like the finished website: you can publish that instead.`;
}
