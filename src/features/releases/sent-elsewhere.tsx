import { useEffect } from 'react';
import { Notice } from '../../components/notice.tsx';
import { heldSendings } from '../../uploads/receiving-deployments.ts';

const LOOK_AGAIN_MS = 2_000;

export type SentElsewhereProps = { deploymentId: string; isSent: boolean; onChange: (isSent: boolean) => void };

/** Says that another tab of this browser is sending files to a deployment, of which the server has no release yet. */
export function SentElsewhere({ deploymentId, isSent, onChange }: SentElsewhereProps) {
  useEffect(() => {
    let isLeft = false;
    const look = async () => {
      // Looking may fail, and then nothing is said.
      const isFound = await isSentElsewhere(deploymentId).catch(() => false);
      if (!isLeft) onChange(isFound);
    };
    void look();
    // A tab that is closed says nothing, and one that is loaded again goes on sending.
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => {
      isLeft = true;
      clearInterval(timer);
      onChange(false);
    };
  }, [deploymentId, onChange]);
  if (!isSent) return null;
  return (
    <Notice tone="quiet" title="Files are being sent" className="mb-6">
      Another tab of this browser is sending them. Keep it open.
    </Notice>
  );
}

/** Returns whether a page of this browser that is still open sends files to a deployment. */
export async function isSentElsewhere(deploymentId: string): Promise<boolean> {
  return (await heldSendings()).some(({ deployment }) => deployment.id === deploymentId);
}
