import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { usePublish } from '../../../uploads/use-publish.ts';
import { setWaiting, stopReselect } from '../../../uploads/waiting-selection.ts';

/** The address holds the id of the deployment that is being sent; the files themselves are in the page's memory. */
const STARTED = 'deployment';
/** The address holds a requested domain that could not be added: its step asks for it again. */
const WANTED_DOMAIN = 'domain';

/** Returns the deployment that was started on this page and is followed on it, also after a reload. */
export function useStartedDeployment() {
  const [params, setParams] = useSearchParams();
  const publish = usePublish();
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  function start(
    deployment: Deployment,
    { selection, publishAnyway }: SelectionReport,
    wantedDomain: string | null,
    onStart: () => void,
  ): Promise<void> {
    return publish({ deployment, selection, publishAnyway, isNew: true }, () => {
      // A person who went to another page meanwhile is not pulled back.
      const wanted = wantedDomain === null ? {} : { [WANTED_DOMAIN]: wantedDomain };
      if (isHere.current) setParams({ [STARTED]: deployment.id, ...wanted }, { replace: true });
      setWaiting(null);
      stopReselect(null);
      onStart();
    });
  }

  /** Leaves the started deployment, with this selection to begin again. */
  function startAgain(selection: Selection | null): void {
    setWaiting(selection);
    setParams({}, { replace: true });
  }

  return { deploymentId: params.get(STARTED), wantedDomain: params.get(WANTED_DOMAIN), start, startAgain };
}
