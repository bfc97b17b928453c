import { useEffect, useState } from 'react';
import { session } from '../../api/session/session.ts';
import { Notice } from '../../components/notice.tsx';
import { uploadLock } from '../../lib/storage.ts';
import { listStored } from '../../uploads/stored-selections.ts';

/** Says that another tab of this browser is sending files to a deployment, which the server takes for a draft until then. */
export function SentElsewhere({ deploymentId }: { deploymentId: string }) {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    let wait = new AbortController();
    const look = async () => {
      wait.abort();
      wait = new AbortController();
      const { signal } = wait;
      try {
        const lock = await lockElsewhere(deploymentId);
        if (signal.aborted) return;
        setSent(lock !== null);
        if (lock === null) return;
        // A page that is closed writes nothing, and frees its lock.
        await navigator.locks.request(lock, { signal }, () => {});
        if (!signal.aborted) void look();
      } catch {
        // The screen was left, or this browser grants the page no locks.
      }
    };
    // Progress is written as well: only what comes or goes matters.
    const onStorage = ({ oldValue, newValue }: StorageEvent) => {
      if (oldValue === null || newValue === null) void look();
    };
    void look();
    addEventListener('storage', onStorage);
    return () => {
      wait.abort();
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
