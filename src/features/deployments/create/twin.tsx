import { Link } from 'wouter';
import type { ListedRelease } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths/paths.ts';
import { useComparison } from '../select/use-comparison.tsx';
import { useNewDeployment } from './new-deployment-form.tsx';

/** Equals one page of the history: files of an older release are not looked for. */
const LOOKED_AT = 50;

/**
 * Returns a live release with exactly the chosen files; null when there is none, and undefined until that is known. The
 * name may differ: most often the same folder was dropped again.
 */
export function useTwin(): ListedRelease | null | undefined {
  const { chosen, isPublishing } = useNewDeployment();
  const { report } = chosen;
  const releases = trpc.releases.list.useQuery({ limit: LOOKED_AT }, { enabled: report !== null && !isPublishing });
  const alike = releases.data?.items.find(
    ({ isCurrent, fileCount, totalBytes }) =>
      isCurrent && fileCount === report?.reading.files.length && totalBytes === report.reading.totalBytes,
  );
  const { isEqual, isComparing } = useComparison(report, alike ?? null);
  if (report === null || (releases.data === undefined && releases.error === null) || isComparing) return undefined;
  return isEqual && alike !== undefined ? alike : null;
}

/** Says which deployment has the chosen files already. */
export function TwinText({ twin }: { twin: ListedRelease }) {
  return (
    <>
      <Link to={href.deployment(twin.deploymentId)} className="rounded-tight text-accent underline wrap-anywhere">
        {ownerLabel(twin)}
      </Link>{' '}
      already serves exactly these files.
    </>
  );
}
