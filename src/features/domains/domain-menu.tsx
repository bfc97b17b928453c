import { ArrowLeftRight, Ellipsis, FolderInput, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Domain, RemovedDomain } from '../../../routers/schemas/domains.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { writtenName } from '../../lib/written-name.ts';
import type { NamedDeployment } from './domain-list.tsx';

export type DomainMenuProps = {
  domain: Domain;
  deployments: readonly NamedDeployment[];
  isReadOnly: boolean;
  /** Receives the records that are left at the DNS provider; null when that is not known. */
  onRemoved: (removed: RemovedDomain | null) => void;
};

export type DomainDialogProps = Pick<DomainMenuProps, 'domain' | 'deployments' | 'onRemoved'> & {
  act: 'move' | 'remove';
  onClose: () => void;
};

const UndoDialog = lazyDialog(async () => (await import('./records/undo-dialog.tsx')).UndoDialog);
const DomainDialog = lazyDialog(async () => (await import('./domain-dialogs.tsx')).DomainDialog);

/** Offers the acts on a domain besides its records: which name serves, where it leads, and its removal. */
export function DomainMenu({ domain, deployments, isReadOnly, onRemoved }: DomainMenuProps) {
  const [asked, ask] = useState<DomainDialogProps['act'] | 'undo' | null>(null);
  const { data: last } = trpc.domains.lastPlan.useQuery({ domainId: domain.id });
  const written = !isReadOnly && last?.state === 'applied' ? last : null;
  const other = domain.servedName === domain.name ? domain.counterpart : domain.name;
  const serve = trpc.domains.update.useMutation({
    onSuccess: ({ servedName }) =>
      showToast({
        title: 'Main name changed',
        description: `${writtenName(domain, servedName)} is the main name now, and the other redirects to it.`,
      }),
    onError: (error) => showToast(errorToast('Could not change the main name', error)),
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for ${writtenName(domain)}`}>
            <Ellipsis />
          </IconButton>
        }
      >
        {!isReadOnly && other !== null && (
          <MenuItem
            disabled={serve.isPending}
            onSelect={() => serve.mutate({ domainId: domain.id, servedName: other })}
          >
            <ArrowLeftRight /> Make {writtenName(domain, other)} the main name
          </MenuItem>
        )}
        {!isReadOnly && deployments.length > 1 && (
          <MenuItem onSelect={() => ask('move')}>
            <FolderInput /> Move to another deployment
          </MenuItem>
        )}
        {written !== null && (
          <MenuItem onSelect={() => ask('undo')}>
            <Undo2 /> Undo the last record change
          </MenuItem>
        )}
        {!isReadOnly && (other !== null || deployments.length > 1 || written !== null) && <MenuSeparator />}
        <MenuItem isDestructive onSelect={() => ask('remove')}>
          <Trash2 /> Remove
        </MenuItem>
      </Menu>
      {asked === 'undo' && written !== null && <UndoDialog domain={domain} plan={written} onClose={() => ask(null)} />}
      {asked !== null && asked !== 'undo' && (
        <DomainDialog
          act={asked}
          domain={domain}
          deployments={deployments}
          onClose={() => ask(null)}
          onRemoved={onRemoved}
        />
      )}
    </>
  );
}
