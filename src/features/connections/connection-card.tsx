import { useState } from 'react';
import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import type { ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { FailedState } from '../../components/page/failed-state.tsx';
import { SkeletonGroup } from '../../components/skeleton.tsx';
import { ConnectionRows } from './connection-rows.tsx';

/** Needed only once somebody connects. */
const ConnectDialog = lazyDialog(async () => (await import('./connect-dialog.tsx')).ConnectDialog);

/** The placeholder has this shape at any width, so that nothing below moves. */
const EMPTY = 'Not connected yet. The token is tested, stored encrypted, and never shown again.';

/** Shows the person's accounts at one platform, on the page that sets it up. */
export function ConnectionCard({ provider }: { provider: ConnectionProvider }) {
  const list = trpc.connections.list.useQuery();
  const { data, error } = list;
  const [isConnecting, setConnecting] = useState(false);
  const title = CONNECTION_TITLES[provider];
  const connections = data?.items.filter((connection) => connection.provider === provider) ?? [];
  return (
    <Card>
      <CardHeader
        title={`Your ${title} account`}
        action={
          <Button size="sm" onClick={() => setConnecting(true)}>
            Connect {title}
          </Button>
        }
      />
      {data === undefined && error === null && (
        <CardBody>
          <SkeletonGroup>
            <p aria-hidden>
              <span className="rounded-tight bg-line/70 box-decoration-clone text-transparent select-none">
                {EMPTY}
              </span>
            </p>
          </SkeletonGroup>
        </CardBody>
      )}
      <FailedState failure={shownFailure('The connections could not be loaded', error)} question={list} />
      {data !== undefined && connections.length === 0 && (
        <CardBody>
          <p className="text-ink-muted">{EMPTY}</p>
        </CardBody>
      )}
      <ConnectionRows connections={connections} />
      {isConnecting && (
        <ConnectDialog providers={[provider]} signIn={data?.signIn ?? []} onClose={() => setConnecting(false)} />
      )}
    </Card>
  );
}
