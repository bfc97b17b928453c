import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

/** Leads to the pages of the payment service: card, invoices, and the end of the subscription. */
export function PortalButton() {
  const portal = trpc.payments.portal.useMutation({
    // Nothing has changed by then.
    meta: { refresh: false },
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => showToast(errorToast('The payment page could not be opened', error)),
  });
  return (
    <Button isBusy={portal.isPending} busyLabel="Opening…" onClick={() => portal.mutate()}>
      Manage payment
    </Button>
  );
}
