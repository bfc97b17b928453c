import type { Domain } from '../../../../routers/schemas/domains.ts';
import { applyFieldErrors, errorDetails, errorMessage, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/overlays/toast-store.ts';

type Fields = 'deploymentId' | 'name';
type SetError = (field: Fields, error: { type: string; message: string }, options?: { shouldFocus: boolean }) => void;

/** Adds a domain; a refusal, including the cap of the plan, is shown at its field. */
export function useAddDomain({ setError, onAdded }: { setError: SetError; onAdded: (domain: Domain) => void }) {
  return trpc.domains.add.useMutation({
    onSuccess: onAdded,
    onError: (error) => {
      if (applyFieldErrors(error, ['deploymentId', 'name'], setError)) return;
      if (errorDetails(error).code === 'domain_limit_reached') {
        setError('name', { type: 'server', message: errorMessage(error) }, { shouldFocus: true });
        return;
      }
      showToast(errorToast('Could not add the domain', error));
    },
  });
}
