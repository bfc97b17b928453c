import type { RunDiagnosticsInput } from '../../../routers/schemas/diagnostics.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { showToast } from '../../components/overlays/toast-store.ts';

/** Checks arrive one by one, each in a fraction of a second. */
const LOOK_MS = 1_000;

/** Follows a report while it fills. */
export function useReport(reportId: string | null) {
  return trpc.diagnostics.get.useQuery(
    { reportId: reportId ?? '' },
    {
      enabled: reportId !== null,
      refetchInterval: ({ state }) => state.error === null && state.data?.state === 'running' && LOOK_MS,
    },
  );
}

/** Starts a report, and passes its id on. */
export function useRunDiagnostics(onBegun: (reportId: string) => void) {
  const run = trpc.diagnostics.run.useMutation({
    onSuccess: ({ reportId }) => onBegun(reportId),
    onError: (error) => showToast(errorToast('The checks could not be started', error)),
  });
  return { isPending: run.isPending, run: (input: RunDiagnosticsInput) => run.mutate(input) };
}
