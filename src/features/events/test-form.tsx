import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { sendTestInput } from '../../../routers/schemas/events.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';

/** Sends a notification to oneself, through the database and the socket like every event. */
export function TestForm() {
  const form = useForm({
    resolver: standardSchemaResolver(sendTestInput),
    mode: 'onSubmit',
    defaultValues: { message: 'Hello from myself' },
  });
  const send = trpc.events.sendTest.useMutation({
    meta: { refresh: false },
    onError(error) {
      if (!applyFieldErrors(error, ['message'], form.setError)) {
        showToast(errorToast('The notification was not sent', error));
      }
    },
  });
  const submit = useSubmitOnce(
    send.isPending,
    form.handleSubmit(({ message }) => send.mutate({ message })),
  );

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <Field
        label="Send yourself a notification"
        error={form.formState.errors.message?.message}
        className="min-w-0 grow"
      >
        <Input {...form.register('message')} autoComplete="off" />
      </Field>
      <Button type="submit" variant="primary" isBusy={send.isPending} busyLabel="Sending…" className="sm:mt-6.5">
        Send
      </Button>
    </form>
  );
}
