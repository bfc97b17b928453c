import { useEffect, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { CONNECTION_TITLES } from '../../../../routers/schemas/connection-titles.ts';
import type { Connection } from '../../../../routers/schemas/connections.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { CONNECTION_PROVIDERS, type ConnectionProvider } from '../../../../routers/schemas/platforms/ids.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { MendConnection } from '../../../components/states/mend-connection.tsx';
import { useConnectInPlace } from '../../../lib/connect-in-place.ts';
import type { DestinationFields } from './destination-fields.ts';
import { OptionFields } from './option-fields.tsx';

type ConnectionName = 'connectionId' | `options.${string}`;

/** Shows the fields of the chosen platform in a form with a destination: the account, the team, its own settings. */
export function ConnectionChoice() {
  const { watch } = useFormContext<DestinationFields>();
  const platform = watch('platform');
  const { furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const provider = CONNECTION_PROVIDERS.find((id) => id === platform);
  // The key separates the platforms: choices for one do not go with another.
  return (
    <div key={platform} className="flex flex-col gap-4 not-empty:mt-2">
      {provider !== undefined && <NeededConnection provider={provider} name="connectionId" />}
      {provider !== undefined && <TargetChoice />}
      {furtherConnections.map((further) => (
        <NeededConnection key={further.option} provider={further.provider} name={`options.${further.option}`} />
      ))}
      <OptionFields />
    </div>
  );
}

type NeededConnectionProps = { provider: ConnectionProvider; name: ConnectionName };

function NeededConnection({ provider, name }: NeededConnectionProps) {
  const { watch, setValue, getFieldState, formState } = useFormContext<DestinationFields>();
  const chosen = watch(name);
  const title = CONNECTION_TITLES[provider];
  const [isConnecting, setConnecting] = useState(false);
  const ConnectDialog = useConnectInPlace();
  const { data } = trpc.connections.list.useQuery();
  const connections = data?.items.filter((connection) => connection.provider === provider);
  const first = preferred(connections ?? [])?.id;
  const current = connections?.find(({ id }) => id === chosen);
  const isListed = current !== undefined;
  const problem = getFieldState(name, formState).error?.message;

  useEffect(() => {
    if (first !== undefined && !isListed) setValue(name, first);
  }, [first, isListed, name, setValue]);

  if (connections === undefined) return null;
  // The list has the new account before the dialog has closed.
  if (connections.length === 0 || isConnecting) {
    return (
      <>
        <Notice
          tone="warn"
          action={
            <Button size="sm" onClick={() => setConnecting(true)}>
              Connect {title}
            </Button>
          }
        >
          {problem ?? `To publish there, connect your ${title} account first.`}
        </Notice>
        {isConnecting && (
          <ConnectDialog providers={[provider]} signIn={data?.signIn} onClose={() => setConnecting(false)} />
        )}
      </>
    );
  }
  return (
    <>
      <Field label={`${title} account`} error={problem}>
        <Select
          label={`${title} account`}
          placeholder="Choose an account"
          value={typeof chosen === 'string' ? chosen : ''}
          onValueChange={(id) => setValue(name, id)}
          options={connections.map(({ id, identity, state }) => ({
            value: id,
            label: state === 'broken' ? `${identity} (not working)` : identity,
          }))}
        />
      </Field>
      {current?.state === 'broken' && <BrokenNotice connection={current} provider={provider} />}
    </>
  );
}

/** Returns the preferred connection: a working one comes before the newest that does not work. */
function preferred(connections: readonly Connection[]): Connection | undefined {
  return connections.find(({ state }) => state === 'ok') ?? connections[0];
}

function BrokenNotice({ connection, provider }: Pick<NeededConnectionProps, 'provider'> & { connection: Connection }) {
  const { id, identity, problem } = connection;
  return (
    <Notice
      tone="bad"
      title={`${CONNECTION_TITLES[provider]} · ${identity} is not working`}
      action={<MendConnection lost={{ provider, connectionId: id }} size="sm" />}
    >
      <LinkedText text={problem?.message ?? 'The platform rejects its token.'} />
    </Notice>
  );
}

/** The list's value for the platform's default. */
const OWN = 'own';

/** Offers teams or owners to publish under; nothing when the account has no choice or does not work. */
function TargetChoice() {
  const { watch, setValue } = useFormContext<DestinationFields>();
  const connectionId = watch('connectionId');
  const chosen = watch('targetId');
  const connections = trpc.connections.list.useQuery();
  const isWorking = connections.data?.items.find(({ id }) => id === connectionId)?.state === 'ok';
  const { data, error } = trpc.connections.targets.useQuery(
    { connectionId: connectionId ?? '' },
    { enabled: isWorking },
  );
  const targets = data?.items;
  const isUnknown = targets !== undefined && chosen !== undefined && !targets.some(({ id }) => id === chosen);

  useEffect(() => {
    if (isUnknown) setValue('targetId', undefined);
  }, [isUnknown, setValue]);

  if (!isWorking) return null;
  if (error !== null) {
    return (
      <p className="text-sm text-ink-muted">
        The teams of this account could not be loaded, so the site is published under the account itself.
      </p>
    );
  }
  if (targets === undefined || targets.length === 0) return null;
  return (
    <Field label="Publish under">
      <Select
        label="Publish under"
        placeholder="Choose a team"
        value={chosen ?? OWN}
        onValueChange={(id) => setValue('targetId', id === OWN ? undefined : id)}
        options={[
          { value: OWN, label: 'The account itself' },
          ...targets.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </Field>
  );
}
