import { useEffect } from 'react';
import { trpc } from '../../../api/trpc.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { href } from '../../../lib/paths/paths.ts';
import type { Sending } from '../../../uploads/sendings.ts';

/**
 * Leads to the release's own page when everything is sent, once its data has been loaded. If that fails, the page
 * itself reports it.
 */
export function useLeadToRelease(sending: Sending | null, options: { replace: boolean }): void {
  const navigate = useNavigate();
  const { releases } = trpc.useUtils();
  const { deploymentId, control } = sending ?? {};
  const number = sending?.state === 'done' ? sending.release?.number : undefined;
  const { replace } = options;

  useEffect(() => {
    if (deploymentId === undefined || number === undefined) return;
    let isLeft = false;
    void releases.get.prefetch({ deploymentId, number }).then(() => {
      if (isLeft) return;
      navigate(href.release(deploymentId, number), { replace });
      control?.forget();
    });
    return () => {
      isLeft = true;
    };
  }, [deploymentId, number, control, navigate, replace, releases]);
}
