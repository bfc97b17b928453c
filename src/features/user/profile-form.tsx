import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm, useWatch } from 'react-hook-form';
import { type UpdateUserInput, type User, updateUserInput } from '../../../routers/schemas/user.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';
import { forgetFormDraft, readFormDraft, useFormDraft } from '../../lib/storage/form-draft.ts';
import { BetaBadge } from './beta-badge.tsx';

const DRAFT = 'profile';

/** Changes the name for signing in, which the history of releases shows. */
export function ProfileForm({ user }: { user: User }) {
  const saved = { username: user.username };
  const form = useForm({
    resolver: standardSchemaResolver(updateUserInput),
    mode: 'onTouched',
    defaultValues: readFormDraft(DRAFT, saved),
  });
  useFormDraft(DRAFT, saved, form);
  const { errors } = form.formState;
  const isChanged = useWatch({ control: form.control, name: 'username' }) !== user.username;
  const update = trpc.user.update.useMutation({
    onSuccess({ username }) {
      form.reset({ username });
      forgetFormDraft(DRAFT);
      showToast({ title: 'Profile saved', description: `You log in as ${username} from now on.` });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['username'], form.setError)) {
        showToast(errorToast('The profile was not saved', error));
      }
    },
  });

  function save(input: UpdateUserInput) {
    if (input.username !== user.username) return update.mutate(input);
    form.reset(saved);
    forgetFormDraft(DRAFT);
    showToast({ title: 'Saved', description: `You log in as ${input.username}, as before.` });
  }
  const submit = useSubmitOnce(update.isPending, form.handleSubmit(save));

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Username" error={errors.username?.message} aside={user.isBetaTester && <BetaBadge />}>
        <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Button
        type="submit"
        variant={isChanged ? 'primary' : 'secondary'}
        isBusy={update.isPending}
        busyLabel="Saving…"
        className="self-start"
      >
        Save
      </Button>
    </form>
  );
}
