import { useEffect, useState } from 'react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

/** A check that the server makes by then is waited for. */
const SOON_MS = 10_000;

/** Shows when the server checks a domain next, and a button to check now. */
export function DomainCheck({ domain: { id: domainId, state, nextCheckAt } }: { domain: Domain }) {
  const utils = trpc.useUtils();
  const check = trpc.domains.check.useMutation({
    onSuccess: (seen) => utils.domains.get.setData({ domainId }, seen),
  });
  // An owner who returns has probably created the records, while the server checks rarely by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(() => {
    if (state !== 'active' && Number(nextCheckAt) - Date.now() > SOON_MS) check.mutate({ domainId });
  }, []);
  return (
    <>
      <NextCheck at={nextCheckAt} />
      <Button
        isBusy={check.isPending}
        busyLabel="Checking…"
        onClick={() =>
          check.mutate({ domainId }, { onError: (error) => showToast(errorToast('Could not check the domain', error)) })
        }
      >
        Check now
      </Button>
    </>
  );
}

/** Counts down to the next automatic check. */
function NextCheck({ at }: { at: Date | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return null;
  const seconds = Math.max(0, Math.round((at.getTime() - now) / 1000));
  return <span className="text-sm text-ink-muted tabular-nums">{nextText(seconds)}</span>;
}

function nextText(seconds: number): string {
  if (seconds === 0) return 'checking…';
  if (seconds < 120) return `next in ${seconds} s`;
  return seconds < 7_200 ? `next in ${Math.round(seconds / 60)} min` : `next in ${Math.round(seconds / 3_600)} h`;
}
