import { CircleCheck, CircleX, Plug, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Connection } from '../../../routers/schemas/connections.ts';
import { CONNECTION_PROVIDERS, type ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { errorToast } from '../../api/errors.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ListStates } from '../../components/list-states.tsx';
import { PlatformMark } from '../../components/platform-mark.tsx';
import { Section } from '../../components/section.tsx';
import { Setting } from '../../components/setting.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { showToast } from '../../components/toast-store.ts';
import { formatDate } from '../../lib/format.ts';
import { REPLACE } from '../../lib/paths.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { RemoveConnectionDialog } from './remove-connection-dialog.tsx';

/** The accounts at hosting platforms that Fairlead publishes with: connected, tested, replaced, removed. */
export function ConnectionList() {
  const list = trpc.connections.list.useQuery();
  const [isConnecting, setConnecting] = useState(false);
  const connections = list.data?.items ?? [];
  const { replacing, endReplacing } = useAskedReplacement(connections);
  useFinishAuthorization();
  return (
    <Section
      title="Hosting connections"
      count={connections.length === 0 ? undefined : connections.length}
      description="Your accounts at hosting platforms. Tokens are stored encrypted and never shown again."
      action={
        <Button size="sm" onClick={() => setConnecting(true)}>
          Connect a platform
        </Button>
      }
    >
      <Card>
        <ListStates
          list={list}
          count={connections.length}
          skeleton={<SkeletonRows rows={1} lines={2} />}
          failure={shownFailure('The connections could not be loaded', list.error)}
          empty={{ icon: Plug, text: `No connections yet. Connect ${named(CONNECTION_PROVIDERS)} to publish there.` }}
        >
          <ConnectionRows connections={connections} />
        </ListStates>
      </Card>
      {isConnecting && (
        <ConnectDialog
          providers={CONNECTION_PROVIDERS}
          signIn={list.data?.signIn ?? []}
          onClose={() => setConnecting(false)}
        />
      )}
      {replacing !== undefined && (
        <ConnectDialog providers={[replacing.provider]} signIn={[]} replacing={replacing} onClose={endReplacing} />
      )}
    </Section>
  );
}

/** The connection whose token the address asks to replace: where one stopped working, a link leads here. */
function useAskedReplacement(connections: readonly Connection[]) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get(REPLACE);
  return {
    replacing: connections.find(({ id }) => id === asked),
    endReplacing: () => setSearch({}, { replace: true }),
  };
}

/** Connections as rows of a card, each tested, replaced and removed in its place. */
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
      {asked?.act === 'replace' && (
        <ConnectDialog
          providers={[asked.connection.provider]}
          signIn={[]}
          replacing={asked.connection}
          onClose={close}
        />
      )}
      {asked?.act === 'remove' && <RemoveConnectionDialog connection={asked.connection} onClose={close} />}
    </>
  );
}

type ConnectionRowProps = { connection: Connection; onAsk: (act: 'replace' | 'remove') => void };

function ConnectionRow({ connection, onAsk }: ConnectionRowProps) {
  const { id, provider, identity, problem, warnings, expiresAt, testedAt, deployments } = connection;
  const title = `${HOSTING_TITLES[provider]} · ${identity}`;
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
    <Setting
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="flex items-center gap-2">
            <PlatformMark platform={provider} />
            {HOSTING_TITLES[provider]}
          </span>
          <ConnectionBadge connection={connection} />
        </span>
      }
      action={
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
          <Button size="sm" onClick={() => onAsk('replace')} aria-label={`Replace the token of ${title}`}>
            Replace
          </Button>
          <Button size="sm" onClick={() => onAsk('remove')} aria-label={`Remove ${title}`}>
            Remove
          </Button>
        </div>
      }
    >
      <p className="wrap-anywhere">{identity}</p>
      {problem !== null && (
        <p className="text-sm wrap-anywhere text-bad">
          {problem.message} {problem.hint}
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-sm">
          {warning}
        </p>
      ))}
      <p className="text-sm">
        {usedBy(deployments)} · tested <Time at={testedAt} />
        {expiresAt !== null && ` · expires ${formatDate(expiresAt)}`}
      </p>
    </Setting>
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

function named(providers: readonly ConnectionProvider[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(providers.map((id) => HOSTING_TITLES[id]));
}

const NAMED_MAX = 3;

function usedBy(deployments: Connection['deployments']): string {
  if (deployments.length === 0) return 'Not used by a deployment';
  const named = deployments.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = deployments.length - named.length;
  return `Used by ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Ends a sign-in at a platform that sent the browser back here with a code, and takes the code out of the address. */
function useFinishAuthorization(): void {
  const [search, setSearch] = useSearchParams();
  const { mutate } = trpc.connections.finishAuthorization.useMutation({
    onSuccess: ({ provider, identity }) =>
      showToast({ title: `${HOSTING_TITLES[provider]} connected`, description: `Fairlead publishes as ${identity}.` }),
    onError: (error) => showToast(errorToast('Could not connect', error)),
  });
  const code = search.get('code');
  const state = search.get('state');
  const refusal = search.get('error');

  useEffect(() => {
    const provider = CONNECTION_PROVIDERS.find((id) => state?.startsWith(`${id}.`));
    if (state === null || provider === undefined) return;
    setSearch({}, { replace: true });
    if (code !== null) mutate({ provider, code, state });
    else if (refusal !== null) {
      showToast({ title: `${HOSTING_TITLES[provider]} was not connected`, description: 'The sign-in was cancelled.' });
    }
  }, [code, state, refusal, mutate, setSearch]);
}
