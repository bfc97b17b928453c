import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { trpc } from '../../api/trpc.ts';
import { Notice } from '../../components/notice.tsx';
import { isCancellable } from './release-labels.ts';

/** Somebody may have chosen the wrong folder, or not saved it: said while it can still be stopped, and after. */
export function UnchangedNotice({ release }: { release: ReleaseDetail }) {
  const diff = trpc.releases.diff.useQuery({ releaseId: release.id });
  const number = diff.data?.previousNumber ?? null;
  const isWorthSaying = isRunningReleaseState(release.state) || release.state === 'live';
  if (number === null || !isWorthSaying) return null;
  const isServing = release.servingNumber === number;
  return (
    <Notice tone="quiet" title={`The same files as release ${number}`} className="mb-6">
      No file was changed, added or removed.
      {isCancellable(release) &&
        (isServing ? ' Visitors will see no difference: cancel it, or let it run.' : ' Cancel it, or let it run.')}
    </Notice>
  );
}
