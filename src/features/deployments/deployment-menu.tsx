import { Download, Ellipsis, ExternalLink, FolderUp, Link2, PenLine, Trash2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { useDownload } from '../../api/use-download.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx';
import { useWhenIdle } from '../../lib/later.ts';
import { href } from '../../lib/paths.ts';
import type { DeploymentAct } from './deployment-dialogs.tsx';

const loadDialog = async () => ({ default: (await import('./deployment-dialogs.tsx')).DeploymentDialog });
const DeploymentDialog = lazy(loadDialog);

export type DeploymentMenuProps = {
  deployment: Deployment;
  isReadOnly: boolean;
  onRemoved?: (() => void) | undefined;
};

/** Everything that can be done with a deployment, from wherever it is named. */
export function DeploymentMenu({ deployment, isReadOnly, onRemoved }: DeploymentMenuProps) {
  const [act, setAct] = useState<DeploymentAct | null>(null);
  useWhenIdle(loadDialog);
  const download = useDownload();
  const kept = deployment.currentRelease ?? deployment.latestRelease;
  const page = href.deployment(deployment.id);
  const isDeleting = deployment.state === 'deleting';
  const mayChange = !isReadOnly && !isDeleting;
  const isBusy = deployment.state === 'deploying';
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for ${deployment.name}`}>
            <Ellipsis />
          </IconButton>
        }
      >
        {deployment.currentRelease !== null && !isDeleting && (
          <MenuItem asChild>
            <a href={deployment.url} target="_blank" rel="noreferrer">
              <ExternalLink /> Visit
            </a>
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem asChild>
            <Link to={`${page}#publish`}>
              <FolderUp /> Publish again
            </Link>
          </MenuItem>
        )}
        {mayChange && deployment.releaseCount > 1 && (
          <MenuItem asChild>
            <Link to={`${page}?tab=releases`}>
              <Undo2 /> Roll back
            </Link>
          </MenuItem>
        )}
        {kept !== null && !isDeleting && (
          <MenuItem disabled={download.isPending} onSelect={() => download.mutate({ releaseId: kept.id })}>
            <Download /> Download as ZIP
          </MenuItem>
        )}
        {mayChange && <MenuSeparator />}
        {mayChange && (
          <MenuItem onSelect={() => setAct('rename')}>
            <PenLine /> Rename
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem disabled={isBusy} onSelect={() => setAct('address')}>
            <Link2 /> Change address
          </MenuItem>
        )}
        {!isDeleting && <MenuSeparator />}
        <MenuItem isDestructive disabled={isBusy || isDeleting} onSelect={() => setAct('delete')}>
          <Trash2 /> Delete
        </MenuItem>
      </Menu>
      <Suspense fallback={null}>
        {act !== null && (
          <DeploymentDialog deployment={deployment} act={act} onClose={() => setAct(null)} onRemoved={onRemoved} />
        )}
      </Suspense>
    </>
  );
}
