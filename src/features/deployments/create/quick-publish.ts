import { useEffect, useRef, useState } from 'react';
import { rootLinkProblem } from '../../../../routers/rules/uploads/root-link-problem.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { useNewDeployment } from './new-deployment-form.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';

/** Returns whether there is no finding that a person should decide before everybody sees the site. */
export function isClear({ reading, inspection, reselected }: SelectionReport): boolean {
  return (
    reading.refusal === null &&
    reading.leftOut.length === 0 &&
    reading.notices.length === 0 &&
    inspection.entryPage !== null &&
    inspection.problems.length === 0 &&
    rootLinkProblem(inspection.rootLinks, '') === null &&
    reselected?.isSame !== false
  );
}

/**
 * Publishes a selection of this page automatically, once, when there is nothing to ask. One from an earlier page
 * waits: nobody agreed there to publish it at once. `namesakes`: the deployments that have its name already; undefined
 * until they are known.
 */
export function useQuickPublish(namesakes: readonly unknown[] | undefined): {
  choose: (selection: Selection) => void;
  goesByItself: boolean;
} {
  const { chosen, blockedBecause, room, publish } = useNewDeployment();
  const { report } = chosen;
  const plan = usePlanBlocker();
  const [quick, setQuick] = useState<Selection | null>(null);
  const tried = useRef<Selection | null>(null);
  const goesByItself =
    report !== null &&
    report.selection === quick &&
    isClear(report) &&
    !namesakes?.length &&
    blockedBecause === null &&
    !room.isAsked &&
    room.refusal === null &&
    plan.allowance !== undefined &&
    plan.blocker === null;

  useEffect(() => {
    if (!goesByItself || namesakes === undefined || tried.current === quick) return;
    tried.current = quick;
    void publish();
  }, [goesByItself, namesakes, quick, publish]);

  return {
    choose: (selection) => {
      setQuick(selection);
      chosen.choose(selection);
    },
    goesByItself,
  };
}
