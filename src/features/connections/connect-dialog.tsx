import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useMutation } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useRef } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { type ConnectInput, type Connection, connectInput } from '../../../routers/schemas/connections.ts';
import type { ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { TOKEN_GUIDES } from '../../../routers/schemas/platforms/token-guides.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { refreshAll, trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { Select } from '../../components/select.tsx';
import { showToast } from '../../components/toast-store.ts';

export type ConnectDialogProps = {
  /** Those that can be chosen, at least one; the first is the choice to begin with. */
  providers: readonly [ConnectionProvider, ...ConnectionProvider[]];
  /** Of `providers`, those where signing in takes the place of a token. */
  signIn: readonly ConnectionProvider[];
  /** The connection whose credential is replaced; none to make a new one. */
  replacing?: Connection | undefined;
  onClose: () => void;
  onConnected?: ((connection: Connection) => void) | undefined;
};

/** Asks for a token, has the platform test it, and says whose account it is. Cancel ends a test that runs. */
export function ConnectDialog({ providers, signIn, replacing, onClose, onConnected }: ConnectDialogProps) {
  const fixed = replacing?.provider ?? (providers.length === 1 ? providers[0] : undefined);
  const { control, register, handleSubmit, setError, clearErrors, watch, formState } = useForm({
    resolver: standardSchemaResolver(connectInput),
    defaultValues: { provider: fixed ?? providers[0], token: '' },
  });
  const chosen = watch('provider');
  const { client } = trpc.useUtils();
  const running = useRef<AbortController>(null);
  const connect = useMutation({
    async mutationFn({ input, signal }: { input: ConnectInput; signal: AbortSignal }): Promise<Connection> {
      const { token } = input;
      const connection =
        replacing === undefined
          ? await client.connections.connect.mutate(input, { signal })
          : await client.connections.replace.mutate({ connectionId: replacing.id, token }, { signal });
      await refreshAll();
      return connection;
    },
    onSuccess(connection, { signal }) {
      if (signal.aborted) return;
      onClose();
      onConnected?.(connection);
      showToast({
        title: `${HOSTING_TITLES[connection.provider]} connected`,
        description: connection.warnings[0] ?? `Fairlead publishes as ${connection.identity}.`,
      });
    },
    onError(error, { signal }) {
      if (signal.aborted || applyFieldErrors(error, ['token'], setError)) return;
      stays(errorToast('Could not connect', error));
    },
  });
  const authorize = trpc.connections.authorize.useMutation({
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => stays(errorToast('Could not open the sign-in', error)),
  });

  /** A toast would be gone before it is read, and the token is still here. */
  function stays({ title, description }: { title: string; description: string }) {
    setError('root', { type: title, message: description });
  }

  function submit(input: ConnectInput) {
    running.current = new AbortController();
    connect.mutate({ input, signal: running.current.signal });
  }

  function close() {
    running.current?.abort();
    onClose();
  }

  return (
    <FormDialog
      title={fixed === undefined ? 'Connect a platform' : `Connect ${HOSTING_TITLES[fixed]}`}
      description="The token is tested now, stored encrypted, and never shown again."
      submitLabel="Connect"
      busyLabel="Testing…"
      isBusy={connect.isPending}
      isStoppable
      onSubmit={handleSubmit(submit)}
      onClose={close}
    >
      {fixed === undefined && (
        <Field label="Platform">
          <Controller
            name="provider"
            control={control}
            render={({ field }) => (
              <Select
                label="Platform"
                placeholder="Platform"
                value={field.value}
                onValueChange={(provider) => {
                  clearErrors();
                  field.onChange(provider);
                }}
                options={providers.map((value) => ({ value, label: HOSTING_TITLES[value] }))}
              />
            )}
          />
        </Field>
      )}
      {replacing === undefined && signIn.includes(chosen) && (
        <Button
          isBusy={authorize.isPending}
          busyLabel={`Opening ${HOSTING_TITLES[chosen]}…`}
          onClick={() => authorize.mutate({ provider: chosen })}
        >
          Sign in with {HOSTING_TITLES[chosen]}
        </Button>
      )}
      <TokenGuide provider={chosen} />
      <Field label={TOKEN_GUIDES[chosen].name} error={formState.errors.token?.message}>
        <PasswordInput what="token" autoComplete="off" {...register('token')} />
      </Field>
      {formState.errors.root !== undefined && (
        <div role="alert">
          <Notice tone="bad" title={formState.errors.root.type?.toString()}>
            {formState.errors.root.message}
          </Notice>
        </div>
      )}
    </FormDialog>
  );
}

/** Where the token is made and what it must be allowed to do. */
function TokenGuide({ provider }: { provider: ConnectionProvider }) {
  const { name, url, path, permissions } = TOKEN_GUIDES[provider];
  return (
    <div className="flex flex-col gap-2 rounded-card bg-surface-sunken px-4 py-3 text-sm">
      <p>
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
        >
          Create a token at {HOSTING_TITLES[provider]}
          <ExternalLink className="size-3.5" aria-hidden />
        </a>
        <span className="block text-ink-muted">{path}</span>
      </p>
      <ul className="flex flex-col gap-1 text-ink-muted" aria-label={`What the ${name.toLowerCase()} needs`}>
        {permissions.map((permission) => (
          <li key={permission}>{permission}</li>
        ))}
      </ul>
    </div>
  );
}
