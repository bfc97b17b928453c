import { useState } from 'react';
import type { UploadInspection } from '../../../../routers/rules/uploads/upload-inspection.ts';
import { type Asking, type PublishQuestion, usePublishQuestion } from './publish-question.tsx';

type Pages = Pick<UploadInspection, 'entryPage' | 'buildFolder'>;

/**
 * Asks the person, once for each selection, before a folder without an entry page is published, which answers "not
 * found" at its address; `isLost`: in place of a start page that is live.
 */
export function useEntryQuestion(report: { selection: object; inspection: Pages } | null, isLost = false): Asking {
  const [agreed, setAgreed] = useState<object | null>(null);
  const isAsked = report !== null && report.inspection.entryPage === null && agreed !== report.selection;
  const { ask, question } = usePublishQuestion(
    isAsked ? { ...entryQuestion(report.inspection), variant: isLost ? 'danger' : 'primary' } : null,
  );
  return {
    ask: (goOn) =>
      ask(() => {
        setAgreed(report?.selection ?? null);
        goOn();
      }),
    question,
  };
}

export function entryQuestion({ buildFolder }: Pick<Pages, 'buildFolder'>): PublishQuestion {
  const consequence =
    'There is no index.html at the top: anyone who opens the address sees “not found”. Each file can still be opened at its own address.';
  return {
    title: 'Publish without a start page?',
    description:
      buildFolder === null
        ? consequence
        : `${consequence} The folder ${buildFolder} looks like the finished website: you can publish that instead.`,
  };
}
