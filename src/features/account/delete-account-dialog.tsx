import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { deleteAccountInput } from '../../../routers/schemas/account.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { HELD_SLUG_DAYS } from '../../../routers/schemas/limits.ts';
import { PAGE_SIZE_MAX } from '../../../routers/schemas/primitives.ts';
import type { User } from '../../../routers/schemas/user.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { showLinkToast } from '../../api/link-toast.ts';
import { session } from '../../api/session/session.ts';
import { SESSION_TEXTS } from '../../api/session/session-errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Field } from '../../components/fields/field.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { comingText } from '../../lib/coming-text.ts';
import { paths } from '../../lib/paths/paths.ts';
import { isAddressReserved, isReached, stayTexts } from '../../lib/site-ending.ts';
import { useReceiving } from '../../uploads/receiving-deployments.ts';

export type DeleteAccountDialogProps = { user: User; onMailed: (to: string) => void; onClose: () => void };

/** Says what is lost before the account is deleted. */
export function DeleteAccountDialog({ user, onMailed, onClose }: DeleteAccountDialogProps) {
  const navigate = useNavigate();
  const { staying, isReserved } = useSites();
  const form = useForm({
    resolver: standardSchemaResolver(deleteAccountInput),
    mode: 'onTouched',
    // The dialog has it typed once more before it confirms.
    defaultValues: { username: user.username, currentPassword: '' },
  });
  const { errors } = form.formState;
  const remove = trpc.account.delete.useMutation({
    meta: { refresh: false },
    async onSuccess({ mailedTo }) {
      if (mailedTo !== null) {
        onClose();
        onMailed(mailedTo);
        await showLinkToast(`Open the link we sent to ${mailedTo} to delete the account.`);
        return;
      }
      // Leaving the page comes first: a guard that sees the session gone would lead to /auth with the page as redirect.
      navigate(paths.home);
      session.signOut(SESSION_TEXTS.accountDeleted);
      showToast({ title: 'Account deleted', description: 'Its websites are being taken down.' });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['currentPassword'], form.setError)) {
        showToast(errorToast('The account was not deleted', error));
      }
    },
  });

  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title="Delete your account?"
      description={
        <>
          <p className="wrap-anywhere">{howText(user)}</p>
          <Losses deploymentCount={user.deploymentCount} staying={staying} isReserved={isReserved} />
          <p>This cannot be undone. To keep a copy, export everything first.</p>
        </>
      }
      confirmLabel={user.emailConfirmed ? 'Get a link' : 'Delete account'}
      busyLabel={user.emailConfirmed ? 'Creating the link…' : 'Deleting…'}
      nameToType={user.username}
      isBusy={remove.isPending}
      onConfirm={() => form.handleSubmit((input) => remove.mutate(input))()}
    >
      <Field label="Current password" error={errors.currentPassword?.message}>
        <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
      </Field>
    </ConfirmDialog>
  );
}

function howText({ username, email, emailConfirmed }: User): string {
  const how = emailConfirmed
    ? `The link that deletes your account goes to ${email}, or for 7 days after a change of email to your earlier address if that was confirmed.`
    : 'Your email address is not confirmed, so your password alone deletes the account.';
  return `This deletes the account ${username} (${email}). ${how}`;
}

/** The most sites that are named one by one. */
const NAMED = 3;

type LossesProps = { deploymentCount: number; staying: readonly string[]; isReserved: boolean };

function Losses({ deploymentCount, staying, isReserved }: LossesProps) {
  const coming = trpc.subscription.allowance.useQuery().data?.comingPayment;
  const sending = useReceiving().map(({ name }) => name);
  const more = staying.length - NAMED;
  return (
    <ul className="my-2 list-disc pl-5">
      {deploymentCount > 0 && <li>{websitesText(deploymentCount)}</li>}
      {staying.slice(0, NAMED).map((text) => (
        <li key={text}>{text}</li>
      ))}
      {more > 0 && <li>{formatCount(more, 'other website')} there as well.</li>}
      {isReserved && (
        <li>
          For up to {HELD_SLUG_DAYS} days nobody can use the addresses of your live sites on the built-in host, not even
          you with a new account.
        </li>
      )}
      {sending.length > 0 && <li>Sending files to {new Intl.ListFormat('en').format(sending)} stops.</li>}
      <li>Your files, releases, settings and API tokens are erased.</li>
      <li>An active plan ends at once, and its remaining time is lost.</li>
      {coming && <li>{comingText(coming.plan)}: deleting the account neither stops nor refunds it.</li>}
    </ul>
  );
}

function websitesText(count: number): string {
  const taken = count === 1 ? 'is deleted, and its website' : 'are deleted, and their websites';
  return `${formatCount(count, 'deployment')} ${taken} taken down. Where you published by hand, and wherever Fairlead has no access, a website stays until you delete it there.`;
}

/** Names what stays at platforms of the newest deployments; the mail names more of them. `isReserved`: an address is. */
function useSites(): { staying: string[]; isReserved: boolean } {
  const connections = trpc.connections.list.useQuery().data?.items;
  const deployments = trpc.deployments.list.useQuery({ limit: PAGE_SIZE_MAX }).data?.items ?? [];
  const staying = deployments.flatMap((one) => stayTexts(one, (platform) => isReached(connections, platform, one.id)));
  return { staying, isReserved: deployments.some(isAddressReserved) };
}
