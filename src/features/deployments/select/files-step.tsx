import { type ReactNode, Suspense } from 'react';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { type Selection, selectionNoun } from '../../../uploads/selection/selection.ts';
import { DropZone, type DropZoneProps } from './drop-zone.tsx';
import { selectionSummary } from './lazy-summary.ts';
import type { SelectionSummaryProps } from './selection-summary.tsx';
import type { ChosenSelection } from './use-chosen-selection.ts';

export type FilesStepProps = Pick<DropZoneProps, 'title' | 'description' | 'shape' | 'isWanted'> & {
  chosen: ChosenSelection;
  /** The destination of the files, as far as it matters for problems in them. */
  context?: SelectionSummaryProps['context'];
  /** The room that the account has for the files, told above the footer. */
  room?: SelectionSummaryProps['room'];
  /** Receives the selection of this page; without it, the selection is only stored. */
  onChoose?: ((selection: Selection) => void) | undefined;
  /** Shown below the report on the files. */
  footer?: ReactNode;
};

/** The place for the files: a drop target, and then a report. */
export function FilesStep({ chosen, context, room, onChoose, footer, ...zone }: FilesStepProps) {
  const { report, buildFolder, wanted, isReading, outlivesPage, setPublishAnyway } = chosen;
  const choose: (selection: Selection) => void = onChoose ?? chosen.choose;
  if (report === null) {
    return <DropZone {...zone} {...{ wanted, outlivesPage }} isRestoring={isReading} onSelection={choose} />;
  }
  return (
    <Suspense fallback={<DropZone {...zone} isRestoring onSelection={choose} />}>
      <selectionSummary.Component
        report={report}
        context={context}
        room={room}
        onReplace={(next) => (next === null ? chosen.choose(null) : choose(next))}
        onPublishAnyway={setPublishAnyway}
        onCopy={choose}
        onTakeBuildFolder={buildFolder === null ? null : () => choose(buildFolder)}
        footer={footer}
      />
    </Suspense>
  );
}

export type FilesFooterProps = {
  text: string;
  /** The changes that publishing would make to the live site. */
  change?: ReactNode;
  children?: ReactNode;
};

/** The line below the report on the files: what happens next, beside the button that starts it. */
export function FilesFooter({ text, change, children }: FilesFooterProps) {
  return (
    <div
      ref={scrollToNextStep}
      // Above the buttons that float over the page.
      className="flex scroll-mb-24 flex-wrap items-center justify-between gap-3 p-4 sm:px-5"
    >
      <div className="min-w-0 text-sm">
        {change !== undefined && <div className="wrap-anywhere">{change}</div>}
        <p className="text-ink-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}

/** The report is longer than the drop target was: the button below it would be out of sight. */
function scrollToNextStep(footer: HTMLElement | null): void {
  footer?.scrollIntoView({ block: 'nearest' });
}

/** Returns why publishing is blocked, or null when the files can be published; the report gives the reason. */
export function refusalText({ reading, selection }: SelectionReport): string | null {
  return reading.refusal === null ? null : `The ${selectionNoun(selection)} cannot be published as it is.`;
}
