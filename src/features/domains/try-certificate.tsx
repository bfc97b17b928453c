import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

/** Orders a certificate again that has failed, before its next try. */
export function TryCertificate({ certificateId }: { certificateId: string }) {
  const renew = trpc.certificates.renew.useMutation({
    onError: (error) => showToast(errorToast('Could not order the certificate', error)),
  });
  return (
    <Button size="sm" isBusy={renew.isPending} busyLabel="Ordering…" onClick={() => renew.mutate({ certificateId })}>
      Try now
    </Button>
  );
}
