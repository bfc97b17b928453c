import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { AddDomainForm, type AddDomainFormProps } from './add-domain-form.tsx';

/** Takes a domain for a deployment that has none: shown at once for one that was wanted, else on request. */
export function MissingDomain(props: AddDomainFormProps) {
  const [isAsked, ask] = useState(props.name !== undefined);
  if (isAsked) return <AddDomainForm {...props} />;
  return (
    <Button size="sm" onClick={() => ask(true)}>
      Add a domain
    </Button>
  );
}
