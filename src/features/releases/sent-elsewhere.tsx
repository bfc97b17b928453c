import { useEffect, useState } from 'react';
import { session } from '../../api/session/session.ts';
import { Notice } from '../../components/notice.tsx';
import { uploadLock } from '../../lib/storage.ts';
import { listStored } from '../../uploads/stored-selections.ts';

/** Says that another tab of this browser is sending files to a deployment, which the server takes for a draft until then. */
export function SentElsewhere({ deploymentId }: { deploymentId: string }) {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    let isLeft = false;
    const look = async () => {
      const next = await isSentElsewhere(deploymentId);
      if (!isLeft) setSent(next);
    };
    // Progress is written as well: only what comes or goes matters.
    const onStorage = ({ oldValue, newValue }: StorageEvent) => {
      if (oldValue === null || newValue === null) void look();
    };
    void look();
    addEventListener('storage', onStorage);
    return () => {
      isLeft = true;
      removeEventListener('storage', onStorage);
    };
  }, [deploymentId]);
  if (!isSent) return null;
  return (
    <Notice tone="quiet" title="Files are being sent" className="mb-6">
      Another tab of this browser sends them. Keep that one open.
    </Notice>
  );
}

/** Returns whether a page of this browser that is still open sends files to a deployment. */
export async function isSentElsewhere(deploymentId: string): Promise<boolean> {
  const { locks }: { locks?: LockManager | null } = navigator;
  const sent = listStored().filter(
    ({ accountId, publication }) => accountId === session.accountId() && publication?.deployment.id === deploymentId,
  );
  if (!locks || sent.length === 0) return false;
  const { held = [] } = await locks.query();
  return sent.some(({ id }) => held.some(({ name }) => name === uploadLock(id)));
}
