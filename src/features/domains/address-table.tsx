import { ExternalLink } from 'lucide-react';
import { Link } from 'wouter';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { HostName } from '../../components/host-name.tsx';
import { Table, TableCell, TableRow } from '../../components/lists/table.tsx';
import { type DisplayState, StateBadge } from '../../components/states/state-badge.tsx';
import { formatAddress } from '../../lib/format.ts';
import { href } from '../../lib/paths/paths.ts';

export type AddressTableProps = {
  deployments: readonly Deployment[];
  /** Returns the state to show, which also depends on the plan. */
  stateOf: (deployment: Deployment) => DisplayState;
};

/** Lists the address of each deployment, with the site behind it and the acts of copying it. */
export function AddressTable({ deployments, stateOf }: AddressTableProps) {
  return (
    <Table
      label="Addresses"
      columns={[
        { key: 'address', title: 'Address' },
        { key: 'deployment', title: 'Deployment' },
        { key: 'answers', title: 'What it shows', className: 'max-xl:hidden' },
        { key: 'state', title: 'State' },
        { key: 'actions', title: '', className: 'xl:w-44' },
      ]}
    >
      {deployments.map((deployment) => (
        // Each has two lines on a phone: the address, then its content. The rest is on the page of the deployment.
        <TableRow
          key={deployment.id}
          className="max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:py-2"
        >
          {/* Never wider for a long address: that is cut, not the row. */}
          <TableCell className="max-sm:w-full sm:w-1/2 sm:max-w-0">
            <span className="flex min-w-0 items-center gap-1">
              {deployment.url === '' ? (
                <span className="text-ink-muted">No address yet</span>
              ) : (
                <>
                  <HostName name={formatAddress(deployment.url)} />
                  <CopyButton text={deployment.url} label={`Copy the address of ${deployment.name}`} />
                </>
              )}
            </span>
          </TableCell>
          <TableCell className="max-sm:grow max-sm:basis-20 sm:w-1/4 sm:max-w-0">
            <Link
              to={href.deployment(deployment.id)}
              title={deployment.name}
              dir="auto"
              className="block min-w-0 truncate rounded-tight py-0.5 hover:underline touch:py-2"
            >
              {deployment.name}
            </Link>
          </TableCell>
          <TableCell className="whitespace-nowrap text-ink-muted sm:max-xl:hidden!">
            <Answers deployment={deployment} />
          </TableCell>
          <TableCell className="whitespace-nowrap">
            <StateBadge state={stateOf(deployment)} />
          </TableCell>
          <TableCell className="max-sm:hidden! sm:text-right">
            <AddressActs deployment={deployment} />
          </TableCell>
        </TableRow>
      ))}
    </Table>
  );
}

function Answers({ deployment: { id, currentRelease, state } }: { deployment: Deployment }) {
  if (currentRelease === null || state === 'deleting') return <>Nothing yet</>;
  return (
    <Link
      to={href.release(id, currentRelease.number)}
      className="-my-0.5 rounded-tight py-0.5 hover:underline touch:my-0 touch:py-2"
    >
      Release {currentRelease.number}
    </Link>
  );
}

function AddressActs({ deployment: { id, name, platform, url, currentRelease, state } }: { deployment: Deployment }) {
  if (state === 'deleting') return null;
  return (
    <span className="flex justify-end gap-1">
      {currentRelease !== null && url !== '' && (
        <Button size="sm" asChild>
          <a href={url} target="_blank" rel="noreferrer" aria-label={`Visit ${name}, opens in a new tab`}>
            Visit <ExternalLink className="size-3.5" />
          </a>
        </Button>
      )}
      {PLATFORMS[platform].isServedHere && (
        <Button size="sm" variant="quiet" className="max-xl:hidden" asChild>
          <Link to={`${href.deployment(id)}?tab=settings`} aria-label={`Change the address of ${name}`}>
            Change
          </Link>
        </Button>
      )}
    </span>
  );
}
