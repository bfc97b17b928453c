import { useState } from 'react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

export type IssueDialogProps = {
  /** The domains that were seen to be the person's own. */
  proved: readonly Domain[];
  onClose: () => void;
};

/** Orders a certificate for a domain, or for all names directly below it. */
export function IssueDialog({ proved, onClose }: IssueDialogProps) {
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
        setAsked(true);
        event.currentTarget.querySelector<HTMLElement>('[role="combobox"]')?.focus();
      }}
      onClose={onClose}
    >
      <Field label="Domain" error={isAsked && domain === undefined ? 'Choose the domain that it is for' : undefined}>
        <Select
          value={domain?.id}
          onValueChange={choose}
          placeholder="Choose a domain"
          options={proved.map(({ id, name }) => ({ value: id, label: name }))}
          className="w-full"
        />
      </Field>
      <Checkbox
        label="Wildcard: every name directly below the domain. Your DNS connection is used to prove that the domain is yours."
        isChecked={isWildcard}
        onChange={setWildcard}
      />
    </FormDialog>
  );
}
