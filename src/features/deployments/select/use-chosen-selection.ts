import { useEffect, useState } from 'react';
import { setChosen, useChosen } from '../../../uploads/chosen-selections.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import type { StoredSelection } from '../../../uploads/stored-selections.ts';
import { setWaiting, useReselect, useWaiting } from '../../../uploads/waiting-selection.ts';
import { selectionSummary } from './lazy-summary.ts';

/** The folder or ZIP of a page, read and inspected. */
export type ChosenSelection = {
  selection: Selection | null;
  /** Null while the files are being read. */
  report: SelectionReport | null;
  /** The finished folder inside, to publish in place of the whole. */
  buildFolder: Selection | null;
  /** True while the choice is being inspected, or found again after a reload. */
  isReading: boolean;
  /** A selection that a reload lost, and that must be chosen again. */
  wanted: StoredSelection | null;
  /** True when it is there on every page. */
  outlivesPage: boolean;
  choose: (selection: Selection | null) => void;
  setPublishAnyway: (path: string, isWanted: boolean) => void;
};

/** Returns the selection that waits to be published, chosen here or on an earlier page. */
export function useWaitingSelection(): ChosenSelection {
  const { selection, isRestoring } = useWaiting();
  return useUnderstood({ selection, isRestoring, wanted: useReselect(null), outlivesPage: true, choose: setWaiting });
}

/** Returns a selection that exists only on the page where it was chosen. */
export function usePageSelection(): ChosenSelection {
  const [selection, choose] = useState<Selection | null>(null);
  return useUnderstood({ selection, isRestoring: false, wanted: null, outlivesPage: false, choose });
}

/** Returns the selection that was chosen for a deployment, on its page. */
export function useDeploymentSelection(deploymentId: string): ChosenSelection {
  const selection = useChosen(deploymentId);
  const choose = (next: Selection | null) => setChosen(deploymentId, next);
  return useUnderstood({
    selection,
    isRestoring: false,
    wanted: useReselect(deploymentId),
    outlivesPage: false,
    choose,
  });
}

type Chosen = Pick<ChosenSelection, 'selection' | 'wanted' | 'outlivesPage' | 'choose'> & { isRestoring: boolean };

function useUnderstood({ isRestoring, ...chosen }: Chosen): ChosenSelection {
  const { selection, wanted } = chosen;
  const [anyway, setAnyway] = useState<{ selection: Selection | null; paths: readonly string[] }>(NOTHING);
  const [report, setReport] = useState<SelectionReport | null>(null);
  const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
  // Choices for one selection do not apply to the next.
  const { paths } = anyway.selection === selection ? anyway : NOTHING;

  useEffect(() => {
    if (selection === null) return;
    let isCurrent = true;
    inspect(selection, paths, wanted).then(
      (next) => isCurrent && setReport(next),
      (cause: unknown) => isCurrent && setFailure({ cause }),
    );
    return () => {
      isCurrent = false;
    };
  }, [selection, paths, wanted]);

  if (failure !== null) throw failure.cause;
  const current = selection !== null && report?.selection === selection ? report : null;
  return {
    ...chosen,
    report: current,
    buildFolder: current?.buildFolder ?? null,
    isReading: current === null && (isRestoring || selection !== null),
    setPublishAnyway: (path, isWanted) => {
      const others = paths.filter((other) => other !== path);
      setAnyway({ selection, paths: isWanted ? [...others, path] : others });
    },
  };
}

/**
 * Loads the inspection, with its rules for keys, links and redirects, when something is chosen. What shows its report
 * comes first: that moves the page, and what may be pressed once there is a report would be moved under the pointer.
 */
async function inspect(...given: Parameters<typeof import('../../../uploads/inspect.ts').inspectSelection>) {
  const [{ inspectSelection }] = await Promise.all([import('../../../uploads/inspect.ts'), selectionSummary.fetch()]);
  return inspectSelection(...given);
}

const NOTHING: { selection: Selection | null; paths: readonly string[] } = { selection: null, paths: [] };

/** Returns the size that would be sent; null when nothing can be. */
export function sizeOf(report: SelectionReport | null): { count: number; totalBytes: number } | null {
  if (report === null || report.reading.refusal !== null || report.reading.files.length === 0) return null;
  return { count: report.reading.files.length, totalBytes: report.reading.totalBytes };
}
