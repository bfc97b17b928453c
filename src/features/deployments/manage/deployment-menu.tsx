import {
  AtSign,
  Download,
  Ellipsis,
  ExternalLink,
  FileArchive,
  FilePen,
  FolderUp,
  PenLine,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { useDownload } from '../../../api/use-download.ts';
import { IconButton } from '../../../components/icon-button.tsx';
import { Menu, MenuFooter, MenuItem, MenuSeparator } from '../../../components/overlays/menu.tsx';
import { href } from '../../../lib/paths/paths.ts';
import { wayFrom } from '../../../lib/roll-back.ts';
import { useIsSent } from '../../../uploads/other-tabs/sent-elsewhere.ts';
import { type DeploymentAct, DeploymentDialog } from './deployment-dialog.tsx';

export type DeploymentMenuProps = {
  deployment: Deployment;
  isReadOnly: boolean;
  onRemoved?: (() => void) | undefined;
};

/** Offers all acts on a deployment, on any screen. */
export function DeploymentMenu({ deployment, isReadOnly, onRemoved }: DeploymentMenuProps) {
  const [act, setAct] = useState<DeploymentAct | null>(null);
  const download = useDownload();
  const downloadable = deployment.currentRelease ?? deployment.latestRelease;
  const isDeleting = deployment.state === 'deleting';
  const mayChange = !isReadOnly && !isDeleting;
  const isBusy = deployment.state === 'deploying';
  return (
    <>
      {/* On a phone it is too tall for the room above or below its row, and beside it there is room. */}
      <Menu
        {...(innerWidth < 640 && { side: 'left', align: 'start' })}
        trigger={
          <IconButton label={`Actions for ${deployment.name}`}>
            <Ellipsis />
          </IconButton>
        }
      >
        {deployment.currentRelease !== null && !isDeleting && (
          <MenuItem asChild>
            <a href={deployment.visitUrl} target="_blank" rel="noreferrer">
              <ExternalLink /> Visit
            </a>
          </MenuItem>
        )}
        {!isDeleting && <FileItems deployment={deployment} mayChange={mayChange} />}
        {downloadable !== null && !isDeleting && (
          <MenuItem disabled={download.isPending} onSelect={() => download.mutate({ releaseId: downloadable.id })}>
            <Download /> Download as ZIP
          </MenuItem>
        )}
        {mayChange && <MenuSeparator />}
        {mayChange && (
          <MenuItem onSelect={() => setAct('rename')}>
            <PenLine /> Rename
          </MenuItem>
        )}
        {mayChange && PLATFORMS[deployment.platform].isServedHere && (
          <MenuItem disabled={isBusy} onSelect={() => setAct('address')}>
            <AtSign /> Change address
          </MenuItem>
        )}
        <MenuFooter>
          <MenuItem isDestructive disabled={isBusy || isDeleting} onSelect={() => setAct('delete')}>
            <Trash2 /> Delete
          </MenuItem>
        </MenuFooter>
      </Menu>
      <DeploymentDialog deployment={deployment} act={act} onClose={() => setAct(null)} onRemoved={onRemoved} />
    </>
  );
}

/** While files are being sent, the page of the deployment shows how far they are, and offers no others. */
function FileItems({ deployment, mayChange }: { deployment: Deployment; mayChange: boolean }) {
  if (useIsSent(deployment.id)) {
    return (
      <MenuItem asChild>
        <Link to={href.deployment(deployment.id)}>
          <FolderUp /> See what is being sent
        </Link>
      </MenuItem>
    );
  }
  return (
    <>
      {mayChange && <PublishItems deployment={deployment} />}
      <MenuItem asChild>
        <Link to={href.deploymentEditor(deployment.id)}>
          <FilePen /> Edit files
        </Link>
      </MenuItem>
    </>
  );
}

function PublishItems({ deployment }: { deployment: Deployment }) {
  const page = href.deployment(deployment.id);
  const way = wayFrom(deployment);
  return (
    <>
      <MenuItem asChild>
        <Link to={`${page}#publish`}>
          <FolderUp /> Publish{deployment.releaseCount > 0 && ' again'}
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to={`${page}#publish-zip`}>
          <FileArchive /> Publish a ZIP
        </Link>
      </MenuItem>
      {way !== null && (
        <MenuItem asChild>
          <Link to={`${page}?tab=releases`}>
            <Undo2 /> {way}
          </Link>
        </MenuItem>
      )}
    </>
  );
}
