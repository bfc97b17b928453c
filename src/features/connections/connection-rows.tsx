import { CircleCheck, CircleX, Globe, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import type { Connection } from '../../../routers/schemas/connections.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { LinkedText } from '../../components/linked-text.tsx';
import { OneLine } from '../../components/one-line.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { PlatformMark } from '../../components/states/platform-mark.tsx';
import { Time } from '../../components/time.tsx';
import { formatDate } from '../../lib/format.ts';
import { RemoveConnectionDialog } from './remove-connection-dialog.tsx';

/** Needed only once somebody replaces a token. */
const ConnectDialog = lazyDialog(async () => (await import('./connect-dialog.tsx')).ConnectDialog);

/** Shows connections as rows of a card; each can be tested, replaced and removed. */
export function ConnectionRows({ connections }: { connections: readonly Connection[] }) {
  const [asked, ask] = useState<{ act: 'replace' | 'remove'; connection: Connection } | null>(null);
  const close = () => ask(null);
  return (
    <>
      <ul className="divide-y divide-line">
        {connections.map((connection) => (
          <li key={connection.id}>
            <ConnectionRow connection={connection} onAsk={(act) => ask({ act, connection })} />
          </li>
        ))}
      </ul>
      {asked?.act === 'replace' && <ReplaceConnectionDialog connection={asked.connection} onClose={close} />}
      {asked?.act === 'remove' && <RemoveConnectionDialog connection={asked.connection} onClose={close} />}
    </>
  );
}

/** Asks for another credential of this connection. */
export function ReplaceConnectionDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  return <ConnectDialog providers={[connection.provider]} replacing={connection} onClose={onClose} />;
}

type ConnectionRowProps = { connection: Connection; onAsk: (act: 'replace' | 'remove') => void };

function ConnectionRow({ connection, onAsk }: ConnectionRowProps) {
  const { kind, provider, identity, problem, warnings, expiresAt, testedAt, deployments } = connection;
  return (
    <Setting
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="flex items-center gap-2">
            {kind === 'dns' ? (
              <Globe className="size-4" aria-hidden />
            ) : (
              <PlatformMark platform={connection.provider} />
            )}
            {CONNECTION_TITLES[provider]}
          </span>
          <ConnectionBadge connection={connection} />
        </span>
      }
      action={<ConnectionActs connection={connection} onAsk={onAsk} />}
    >
      <OneLine>{identity}</OneLine>
      {problem !== null && (
        <p className="text-sm wrap-anywhere text-bad">
          <LinkedText text={`${problem.message} ${problem.hint ?? ''}`} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-sm">
          {warning}
        </p>
      ))}
      {kind === 'platform' && <OneLine className="text-sm">{usedBy(deployments)}</OneLine>}
      <p className="text-sm">
        Tested <Time at={testedAt} />
        {expiresAt !== null && ` · expires ${formatDate(expiresAt)}`}
      </p>
    </Setting>
  );
}

function ConnectionActs({ connection: { id, kind, provider, identity }, onAsk }: ConnectionRowProps) {
  const title = `${CONNECTION_TITLES[provider]} · ${identity}`;
  const test = trpc.connections.test.useMutation({
    onSuccess: ({ state, problem: found }) =>
      showToast(
        state === 'ok'
          ? { title: 'The connection works', description: title }
          : { title: 'The connection does not work', description: found?.message, variant: 'destructive' },
      ),
    onError: (error) => showToast(errorToast('The connection could not be tested', error)),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="sm"
        isBusy={test.isPending}
        busyLabel="Testing…"
        onClick={() => test.mutate({ connectionId: id })}
        aria-label={`Test ${title}`}
      >
        Test
      </Button>
      <Button
        size="sm"
        onClick={() => onAsk('replace')}
        aria-label={`Replace the ${kind === 'dns' ? 'credentials' : 'token'} of ${title}`}
      >
        Replace
      </Button>
      <Button size="sm" onClick={() => onAsk('remove')} aria-label={`Remove ${title}`}>
        Remove
      </Button>
    </div>
  );
}

function ConnectionBadge({ connection: { state, warnings } }: { connection: Connection }) {
  if (state === 'broken') {
    return (
      <Badge tone="bad" icon={CircleX}>
        Not working
      </Badge>
    );
  }
  if (warnings.length > 0) {
    return (
      <Badge tone="warn" icon={TriangleAlert}>
        Needs attention
      </Badge>
    );
  }
  return (
    <Badge tone="good" icon={CircleCheck}>
      Works
    </Badge>
  );
}

const NAMED_MAX = 3;

function usedBy(deployments: Connection['deployments']): string {
  if (deployments.length === 0) return 'Not used by any deployment';
  const named = deployments.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = deployments.length - named.length;
  return `Used by ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
