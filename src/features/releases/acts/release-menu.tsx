import { Ban, Download, Ellipsis, ExternalLink, Eye, FileDiff, FilePen, RotateCcw, Undo2 } from 'lucide-react';
import { Link } from 'wouter';
import type { ListedRelease } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import { IconButton } from '../../../components/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { MendLink } from '../../../components/states/mend-connection.tsx';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths/paths.ts';
import { lostAtPrimary } from '../../../lib/primary-destination.ts';
import { isCancellable, isRetryable, wasSeenLive } from '../release-labels.ts';
import { wayTexts } from './going-back.ts';
import { useReleaseActs } from './use-release-acts.ts';

export type ReleaseMenuProps = {
  release: ListedRelease;
  isReadOnly: boolean;
  /** Null when nothing can be rolled back to it. */
  onRollBack: (() => void) | null;
};

/** Offers all acts on a release, from its row. */
export function ReleaseMenu({ release, isReadOnly, onRollBack }: ReleaseMenuProps) {
  const { cancel, retry, download } = useReleaseActs();
  const page = href.release(release.deploymentId, release.number);
  const releaseId = release.id;
  const comparison = comparisonOf(release);
  const way = wayTexts(release);
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for release ${release.number} of ${ownerLabel(release)}`}>
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem asChild>
        <Link to={page}>
          <Eye /> Open release
        </Link>
      </MenuItem>
      {comparison !== null && (
        <MenuItem asChild>
          <Link to={`${page}${comparison}`}>
            <FileDiff /> Compare
          </Link>
        </MenuItem>
      )}
      {wasSeenLive(release) && release.previewUrl !== '' && (
        <MenuItem asChild>
          <a href={release.previewUrl} target="_blank" rel="noreferrer">
            <ExternalLink /> Open preview
          </a>
        </MenuItem>
      )}
      {!isReadOnly && (
        <MenuItem asChild>
          <Link to={href.deploymentEditor(release.deploymentId, release.isCurrent ? undefined : release.number)}>
            <FilePen /> Edit files
          </Link>
        </MenuItem>
      )}
      <MenuItem disabled={download.isPending} onSelect={() => download.mutate({ releaseId })}>
        <Download /> Download as ZIP
      </MenuItem>
      {!isReadOnly && isRetryable(release) && <RetryItems release={release} retry={retry} />}
      {onRollBack && (
        <MenuItem onSelect={onRollBack}>
          <Undo2 className={way.arrow} /> {way.label}
        </MenuItem>
      )}
      {isCancellable(release) && (
        <>
          <MenuSeparator />
          <MenuItem isDestructive disabled={cancel.isPending} onSelect={() => cancel.mutate({ releaseId })}>
            <Ban /> Cancel
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

/** Returns where a page compares its release. There is none before the first: it is compared with the live one. */
function comparisonOf({ number, servingNumber }: ListedRelease): string | null {
  if (number > 1) return '#changes';
  return servingNumber === null || servingNumber === number ? null : `?against=${servingNumber}#changes`;
}

type RetryItemsProps = Pick<ReleaseMenuProps, 'release'> & Pick<ReturnType<typeof useReleaseActs>, 'retry'>;

/** Asks once the menu is open whether the platform would refuse it: the remedy for that comes first. */
function RetryItems({ release: { id: releaseId, deploymentId }, retry }: RetryItemsProps) {
  const { data, isLoading } = trpc.deployments.get.useQuery({ deploymentId });
  const lost = data && lostAtPrimary(data);
  return (
    <>
      {lost !== undefined && (
        <MenuItem asChild>
          <MendLink lost={lost} />
        </MenuItem>
      )}
      {/* Before that is known it would move under the pointer. */}
      <MenuItem disabled={retry.isPending || isLoading} onSelect={() => retry.mutate({ releaseId })}>
        <RotateCcw /> Try again
      </MenuItem>
    </>
  );
}
