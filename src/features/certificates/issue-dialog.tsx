import { useState } from 'react';
import { Link } from 'wouter';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { paths } from '../../lib/paths/paths.ts';

/** Equals the length of a select; a domain's own page orders its certificate as well. */
const OFFERED = 50;

/** Orders a certificate for a domain, or for all names directly below it. */
export function IssueDialog({ onClose }: { onClose: () => void }) {
  const domains = trpc.domains.list.useQuery({ limit: OFFERED });
  const proved = domains.data?.items.filter(({ provedAt }) => provedAt !== null) ?? [];
  const [chosen, choose] = useState<string>();
  const [isWildcard, setWildcard] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const domain = proved.find(({ id }) => id === chosen) ?? (proved.length === 1 ? proved[0] : undefined);
  const issue = trpc.certificates.issue.useMutation({
    onSuccess: ({ names }) => {
      onClose();
      showToast({ title: 'Certificate ordered', description: `For ${names.join(' and ')}.` });
    },
    onError: (error) => showToast(errorToast('Could not order the certificate', error)),
  });
  return (
    <FormDialog
      title="Issue a certificate"
      description="Each domain gets one automatically as soon as it points here. Order one by hand when you do not want to wait, or for a wildcard."
      submitLabel="Issue"
      busyLabel="Ordering…"
      isBusy={issue.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        if (domain !== undefined) return issue.mutate({ domainId: domain.id, ...(isWildcard && { wildcard: true }) });
        setAsked(proved.length > 0);
        event.currentTarget.querySelector<HTMLElement>('[role="combobox"]')?.focus();
      }}
      onClose={onClose}
    >
      <Field
        label="Domain"
        error={isAsked && domain === undefined ? 'Choose the domain that it is for' : undefined}
        hint={
          domains.isSuccess && proved.length === 0 ? (
            <>
              First{' '}
              <Link to={paths.domains} className="underline">
                add a domain
              </Link>{' '}
              and prove that it is yours.
            </>
          ) : undefined
        }
      >
        <Select
          value={domain?.id}
          onValueChange={choose}
          placeholder="Choose a domain"
          options={proved.map(({ id, name }) => ({ value: id, label: name }))}
          className="w-full"
        />
      </Field>
      <Checkbox
        label="Wildcard: every name directly below the domain. Your DNS connection is used to prove that it is yours."
        isChecked={isWildcard}
        onChange={setWildcard}
      />
    </FormDialog>
  );
}
