import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { AddDomainForm, type AddDomainFormProps } from './add-domain-form.tsx';

/** Takes a domain for a deployment that has none: asked at once for one that was wanted, else when it is asked for. */
export function MissingDomain(props: AddDomainFormProps) {
  const [isAsked, ask] = useState(props.name !== undefined);
  if (isAsked) return <AddDomainForm {...props} />;
  return (
    <Button size="sm" onClick={() => ask(true)}>
      Add a domain
    </Button>
  );
}
