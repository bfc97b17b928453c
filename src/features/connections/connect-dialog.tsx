import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { FormProvider, type UseFormReturn, useForm } from 'react-hook-form';
import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import { type ConnectInput, type Connection, connectInput } from '../../../routers/schemas/connections.ts';
import { DNS_PROVIDERS, isDnsProvider } from '../../../routers/schemas/dns-providers.ts';
import type { ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { refreshAll, trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { Notice } from '../../components/notice.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { SESSION_KEYS, tryStorage } from '../../lib/storage/storage.ts';
import { CredentialFields } from './credential-fields.tsx';
import { type AnyProvider, type CredentialForm, emptyForm, guideFor, inputOf, pathOf } from './credential-form.ts';

export type ConnectDialogProps = {
  /** The choices, all of one kind and at least one; the first is preselected. */
  providers: readonly [AnyProvider, ...AnyProvider[]];
  /** Platforms where signing in replaces a token. */
  signIn?: readonly ConnectionProvider[] | undefined;
  /** The connection whose credential is replaced; absent to make a new one. */
  replacing?: Connection | undefined;
  /** The address that signing in returns to; absent for the open one. */
  returnTo?: string;
  onClose: () => void;
};

/** Asks for a credential, has the provider test it, and shows its account. Cancel ends a running test. */
export function ConnectDialog({ providers, signIn = [], replacing, returnTo, onClose }: ConnectDialogProps) {
  const fixed = providers.length === 1 ? providers[0] : undefined;
  const form = useForm<CredentialForm>({ defaultValues: emptyForm(providers[0]) });
  const { handleSubmit, reset, watch, formState } = form;
  const chosen = watch('provider');
  const isDns = isDnsProvider(chosen);
  const { isBusy, submit, close } = useConnect(form, replacing, onClose);
  return (
    <FormDialog
      title={`Connect ${fixed === undefined ? `a ${isDns ? 'DNS provider' : 'platform'}` : nameOf(fixed)}`}
      description={`The ${isDns ? 'credentials are' : 'token is'} tested now, stored encrypted, and never shown again.`}
      submitLabel="Connect"
      busyLabel="Testing…"
      isBusy={isBusy}
      isStoppable
      onSubmit={handleSubmit(submit)}
      onClose={close}
    >
      {fixed === undefined && (
        <Field label={isDns ? 'DNS provider' : 'Platform'}>
          <Select
            value={chosen}
            isDisabled={isBusy}
            onValueChange={(provider) => reset(emptyForm(provider))}
            options={providers.map((value) => ({ value, label: CONNECTION_TITLES[value] }))}
          />
        </Field>
      )}
      {replacing === undefined && !isDns && signIn.includes(chosen) && (
        <SignInButton provider={chosen} returnTo={returnTo} form={form} />
      )}
      <FormProvider {...form}>
        <CredentialFields provider={chosen} />
      </FormProvider>
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

type Form = UseFormReturn<CredentialForm>;

/** Makes or replaces a connection; closing the dialog ends a running test. */
function useConnect({ getValues, setError }: Form, replacing: Connection | undefined, onClose: () => void) {
  const { client } = trpc.useUtils();
  const running = useRef<AbortController>(null);
  const connect = useMutation({
    async mutationFn({ input, signal }: { input: ConnectInput; signal: AbortSignal }): Promise<Connection> {
      const connection =
        replacing === undefined
          ? await client.connections.connect.mutate(input, { signal })
          : await client.connections.replace.mutate(replacementOf(replacing, input), { signal });
      await refreshAll();
      return connection;
    },
    onSuccess({ kind, provider, identity, warnings }, { signal }) {
      if (signal.aborted) return;
      onClose();
      showToast({
        title: `${CONNECTION_TITLES[provider]} connected`,
        description: warnings[0] ?? (kind === 'dns' ? identity : `Fairlead publishes as ${identity}.`),
      });
    },
    onError(error, { signal }) {
      const chosen = getValues('provider');
      const paths = guideFor(chosen).fields.map(({ name }) => pathOf(chosen, name));
      if (signal.aborted || applyFieldErrors(error, paths, setError)) return;
      showInside(setError, errorToast('Could not connect', error));
    },
  });

  function submit(typed: CredentialForm) {
    const parsed = connectInput.safeParse(inputOf(typed));
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues.toReversed()) {
        setError(pathOf(typed.provider, String(path[1])), { type: 'form', message }, { shouldFocus: true });
      }
      return;
    }
    running.current = new AbortController();
    connect.mutate({ input: parsed.data, signal: running.current.signal });
  }

  function close() {
    running.current?.abort();
    onClose();
  }

  return { isBusy: connect.isPending, submit, close };
}

type SignInButtonProps = { provider: ConnectionProvider; returnTo: string | undefined; form: Form };

function SignInButton({ provider, returnTo, form: { setError } }: SignInButtonProps) {
  const authorize = trpc.connections.authorize.useMutation({
    onSuccess: ({ url }) => {
      tryStorage(() => sessionStorage.setItem(SESSION_KEYS.returnTo, returnTo ?? location.pathname + location.search));
      window.location.assign(url);
    },
    onError: (error) => showInside(setError, errorToast('Could not open the sign-in page', error)),
  });
  return (
    <Button
      isBusy={authorize.isPending}
      busyLabel={`Opening ${CONNECTION_TITLES[provider]}…`}
      onClick={() => authorize.mutate({ provider })}
    >
      Sign in with {CONNECTION_TITLES[provider]}
    </Button>
  );
}

/** Shows an error that stays: a toast would be gone before it is read, and the typed text is still here. */
function showInside(setError: Form['setError'], { title, description }: ReturnType<typeof errorToast>): void {
  setError('root', { type: title, message: description });
}

function replacementOf({ id: connectionId }: Connection, input: ConnectInput) {
  return 'token' in input ? { connectionId, token: input.token } : { connectionId, credential: input };
}

function nameOf(provider: AnyProvider): string {
  return (isDnsProvider(provider) ? DNS_PROVIDERS[provider].called : undefined) ?? CONNECTION_TITLES[provider];
}
