import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { forgetPublication, type Publication } from '../../api/publication-store.ts';
import { href } from '../../lib/paths.ts';

/** When everything is sent the release begins: its own page takes over. */
export function useLeadToRelease(publication: Publication | null, options: { replace: boolean }): void {
  const navigate = useNavigate();
  const deploymentId = publication?.deploymentId;
  const number = publication?.state === 'done' ? publication.release?.number : undefined;
  const { replace } = options;

  useEffect(() => {
    if (deploymentId === undefined || number === undefined) return;
    void navigate(href.release(deploymentId, number), { replace });
    forgetPublication(deploymentId);
  }, [deploymentId, number, navigate, replace]);
}
