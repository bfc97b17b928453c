import { useState } from 'react';
import { domainNameIn } from '../../../routers/schemas/domain-name.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';

type ReportFormProps = {
  isBusy: boolean;
  onName: (name: string) => void;
};

/** Takes any name to check. One field needs no form library, which is as large as the screen. */
export function ReportForm({ isBusy, onName }: ReportFormProps) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  const { data: allowance } = trpc.subscription.allowance.useQuery();
  const isBasic = allowance !== undefined && PLANS[allowance.plan].diagnostics === 'basic';
  const submit = useSubmitOnce(isBusy, () => {
    const name = domainNameIn(typed);
    setError(name === null ? 'Type a domain name like example.com' : undefined);
    if (name !== null) onName(name);
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-wrap items-start gap-3">
      <Field
        label="Check a domain name"
        hint={`Any domain, even one that is not yours: the check changes nothing.${isBasic ? ' You have the basic checks; Standard includes all.' : ''}`}
        error={error}
        className="min-w-60 flex-1"
      >
        <Input
          name="name"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder="example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Checking…" className="sm:mt-6.5">
        Check
      </Button>
    </form>
  );
}
