import { useEffect } from 'react';
import { useNavigate } from '../../lib/location.ts';
import { href } from '../../lib/paths.ts';
import type { Publication } from '../../uploads/publications.ts';

/** When everything is sent the release begins: its own page takes over. */
export function useLeadToRelease(publication: Publication | null, options: { replace: boolean }): void {
  const navigate = useNavigate();
  const { deploymentId, control } = publication ?? {};
  const number = publication?.state === 'done' ? publication.release?.number : undefined;
  const { replace } = options;

  useEffect(() => {
    if (deploymentId === undefined || number === undefined) return;
    navigate(href.release(deploymentId, number), { replace });
    control?.forget();
  }, [deploymentId, number, control, navigate, replace]);
}
