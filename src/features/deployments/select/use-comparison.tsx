import { type ReactNode, useEffect, useState } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { SentFiles } from '../../../../routers/schemas/releases.ts';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import type { Removal } from '../../../uploads/compare.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';

export type Compared = {
  /** The changes; null when they are not known, or nothing is live. */
  text: string | null;
  /** The files that are not live yet, at least; null when that is not known. */
  added: SentFiles | null;
  /** True when the live release is known to have the same files. */
  isEqual: boolean;
  isComparing: boolean;
  /** Asks once more before most of the site is removed, or when nobody knows what is; otherwise continues at once. */
  ask: (goOn: () => void) => void;
  question: ReactNode;
};

/** Nobody is kept from publishing for longer than this. */
const PATIENCE_MS = 5_000;

type Changes = Pick<Compared, 'text' | 'added' | 'isEqual'>;
/** `removal`: null when most stays, undefined when the files of the release could not be read. */
type Found = { report: SelectionReport; removal?: Removal | null; changes?: Changes | null };

const UNKNOWN: Changes = { text: null, added: null, isEqual: false };

/** Compares the selection with the live release, before anything is sent. */
export function useComparison(report: SelectionReport | null, live: { id: string; number: number } | null): Compared {
  const [found, setFound] = useState<Found | null>(null);
  const [goOn, setGoOn] = useState<(() => void) | null>(null);
  const liveId = live?.id ?? null;
  useEffect(() => {
    if (report === null || liveId === null || report.reading.refusal !== null) return;
    const control = new AbortController();
    const signal = AbortSignal.any([control.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const finish = (next: Found) => {
      if (!control.signal.aborted) setFound(next);
    };
    compare(report, liveId, signal).then(finish, () => finish({ report }));
    return () => control.abort();
  }, [report, liveId]);

  const current = found?.report === report ? found : null;
  const removal = current?.removal;
  return {
    ...(current?.changes ?? UNKNOWN),
    isComparing: report !== null && liveId !== null && report.reading.refusal === null && found?.report !== report,
    ask: (next) => (current === null || removal === null ? next() : setGoOn(() => next)),
    question: goOn !== null && current !== null && removal !== null && live !== null && (
      <ConfirmDialog
        isOpen
        onOpenChange={(isOpen) => {
          if (!isOpen) setGoOn(null);
        }}
        title={
          removal
            ? `Remove ${removal.removed.length.toLocaleString('en')} of ${formatCount(removal.before, 'file')}?`
            : `Replace release ${live.number} without a comparison?`
        }
        description={`${removal ? `What you chose has ${formatCount(removal.after, 'file')}. The other files of release ${live.number}` : 'What you chose could not be compared with it. Any of its files that you did not choose'} will no longer be served. That release is kept, and you can roll back to it.`}
        confirmLabel="Publish anyway"
        onConfirm={() => {
          setGoOn(null);
          goOn();
        }}
      />
    ),
  };
}

/** Loads the comparison when there is something to compare. */
async function compare(report: SelectionReport, releaseId: string, signal: AbortSignal): Promise<Found> {
  const { changesNothing, compareWithRelease, comparisonText, removesMost } = await import(
    '../../../uploads/compare.ts'
  );
  const { removal, comparison } = await compareWithRelease(report.reading.files, releaseId, signal);
  return {
    report,
    removal: removesMost(removal) ? removal : null,
    changes: comparison && {
      text: comparisonText(comparison),
      added: comparison.toSend,
      isEqual: changesNothing(comparison),
    },
  };
}
