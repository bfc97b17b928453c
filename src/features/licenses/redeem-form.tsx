import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { redeemLicenseInput } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { useSubscription } from '../../api/use-subscription.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';
import { formatDate } from '../../lib/format.ts';

/** Takes a license key; its effect on the present plan is shown before. */
export function RedeemForm() {
  const subscription = useSubscription();
  const form = useForm({ resolver: standardSchemaResolver(redeemLicenseInput), defaultValues: { key: '' } });
  const redeem = trpc.licenses.redeem.useMutation({
    onSuccess({ plan, endsAt }) {
      form.reset();
      showToast({ title: 'Key redeemed', description: `${PLANS[plan].title} runs until ${formatDate(endsAt)}.` });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['key'], form.setError)) showToast(errorToast('The key was not redeemed', error));
    },
  });
  const submit = useSubmitOnce(
    redeem.isPending,
    form.handleSubmit((input) => redeem.mutate(input)),
  );

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="License key" hint={effectOf(subscription.data ?? null)} error={form.formState.errors.key?.message}>
        <Input
          {...form.register('key')}
          className="font-mono"
          placeholder="FL-XXXXX-XXXXX-…"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
      </Field>
      <Button type="submit" variant="primary" className="self-start" isBusy={redeem.isPending} busyLabel="Redeeming…">
        Redeem
      </Button>
    </form>
  );
}

/** Describes the effect of a key before it is redeemed. */
function effectOf(subscription: Subscription | null): string {
  if (subscription === null || !isActiveStatus(subscription.status)) {
    return 'A key works once. Its plan starts when you redeem it.';
  }
  const title = PLANS[subscription.plan].title;
  if (subscription.status === 'trialing') {
    return `A key works once. A key for ${title} extends your trial; a key for another plan replaces the trial at once.`;
  }
  const more = `A key for ${title} extends your plan.`;
  if (subscription.plan === 'PRO' || subscription.plan === 'BETA') return more;
  return `${more} A key for a larger plan starts that plan at once, and what is left of ${title} extends it.`;
}
