import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useNavigate } from 'react-router';
import type { User } from '../../../routers/schemas/user.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { Setting } from '../../components/setting.tsx';
import { showToast } from '../../components/toast-store.ts';
import { formatCount } from '../../lib/format.ts';
import { paths } from '../../lib/paths.ts';
import { useSchemaResolver } from '../../lib/schema-resolver.ts';

const loadSchema = async () => (await import('../../../routers/schemas/account.ts')).deleteAccountInput;

/** The end of an account; what happens to its websites is said first. */
export function DeleteAccount({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Setting
      title="Delete account"
      action={
        <Button variant="danger" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <p>{lossText(user)} This cannot be undone.</p>
      {isAsking && <DeleteDialog user={user} onClose={() => setAsking(false)} />}
    </Setting>
  );
}

function DeleteDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const formId = useId();
  const navigate = useNavigate();
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: 'onTouched',
    defaultValues: { username: '', currentPassword: '' },
  });
  const { errors } = form.formState;
  const remove = trpc.account.delete.useMutation({
    meta: { refresh: false },
    onSuccess() {
      // The way out first: a guard that sees the session gone would lead to /auth with the page as redirect.
      void navigate(paths.home);
      session.signOut();
      showToast({ title: 'Account deleted', description: 'Its websites are being taken down.' });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['username', 'currentPassword'], form.setError)) {
        showToast(errorToast('The account was not deleted', error));
      }
    },
  });

  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title="Delete your account?"
      description={`${lossText(user)} Your files, releases, settings and tokens are erased. This cannot be undone.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={formId} isBusy={remove.isPending} busyLabel="Deleting…">
            Delete account
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={form.handleSubmit((input) => {
          if (!remove.isPending) remove.mutate(input);
        })}
        className="flex flex-col gap-4"
      >
        <Field label={`Type ${user.username} to confirm`} error={errors.username?.message}>
          <Input {...form.register('username')} autoComplete="off" autoCapitalize="none" spellCheck={false} />
        </Field>
        <Field label="Current password" error={errors.currentPassword?.message}>
          <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
        </Field>
      </form>
    </Dialog>
  );
}

function lossText({ deploymentCount }: User): string {
  if (deploymentCount === 0) return 'You have no websites here.';
  const websites = formatCount(deploymentCount, 'deployment');
  return `${websites} and everything live on ${deploymentCount === 1 ? 'it' : 'them'} goes off the air.`;
}
