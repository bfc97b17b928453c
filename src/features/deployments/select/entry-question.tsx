import { useState } from 'react';
import type { UploadInspection } from '../../../../routers/rules/uploads/upload-inspection.ts';
import { type Asking, type PublishQuestion, usePublishQuestion } from './publish-question.tsx';
import type { ChosenSelection } from './use-chosen-selection.ts';

type Pages = Pick<UploadInspection, 'entryPage' | 'buildFolder' | 'problems'>;

/**
 * Asks the person, once for each selection, before a folder is published whose address would show no page: it has no
 * start page, or an empty one, or still needs a build. `choose` takes a copy that has one. `isLost`: in place of a
 * start page that is live.
 */
export function useEntryQuestion(
  { report, choose }: Pick<ChosenSelection, 'report' | 'choose'>,
  isLost = false,
): Asking {
  const [agreed, setAgreed] = useState<object | null>(null);
  const asked = report === null || agreed === report.selection ? null : questionAbout(report.inspection);
  const { ask, question } = usePublishQuestion(
    asked && { ...asked, variant: isLost ? 'danger' : 'primary', offer: report && { report, onCopy: choose } },
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

/** The findings with which a browser shows nothing, and the question that each asks. */
const BLANK: Record<string, string> = {
  needs_build: 'Publish without a build?',
  empty_entry_page: 'Publish an empty start page?',
};

function questionAbout(pages: Pages): PublishQuestion | null {
  if (pages.entryPage === null) return entryQuestion(pages);
  const problem = pages.problems.find(({ code }) => code in BLANK);
  return problem ? { title: BLANK[problem.code] ?? '', description: `${problem.message} ${problem.hint}` } : null;
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
