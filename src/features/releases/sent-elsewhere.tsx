import { useEffect } from 'react';
import { session } from '../../api/session/session.ts';
import { Notice } from '../../components/notice.tsx';
import { uploadLock } from '../../lib/storage/storage.ts';
import { listStored } from '../../uploads/stored-selections.ts';

const LOOK_AGAIN_MS = 2_000;

export type SentElsewhereProps = { deploymentId: string; isSent: boolean; onChange: (isSent: boolean) => void };

/** Says that another tab of this browser is sending files to a deployment, of which the server has no release yet. */
export function SentElsewhere({ deploymentId, isSent, onChange }: SentElsewhereProps) {
  useEffect(() => {
    let isLeft = false;
    const look = async () => {
      // A browser may grant a page no locks.
      const lock = await lockElsewhere(deploymentId).catch(() => null);
      if (!isLeft) onChange(lock !== null);
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

/** Returns the lock of a page of this browser that is still open and sends files to a deployment; null if none does. */
export async function lockElsewhere(deploymentId: string): Promise<string | null> {
  const { locks }: { locks?: LockManager | null } = navigator;
  const sent = listStored().filter(
    ({ accountId, publication }) => accountId === session.accountId() && publication?.deployment.id === deploymentId,
  );
  if (!locks || sent.length === 0) return null;
  const { held = [] } = await locks.query();
  const names = sent.map(({ id }) => uploadLock(id));
  return names.find((lock) => held.some(({ name }) => name === lock)) ?? null;
}
