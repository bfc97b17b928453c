import { type FormEvent, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { domainsRefusal } from '../../../../routers/schemas/platforms/domains-refusal.ts';
import { Card } from '../../../components/card.tsx';
import { ChoiceList } from '../../../components/fields/choice-list.tsx';
import { NewDomainField, type NewDomainFields } from './new-domain-field.tsx';

export type DomainQuestionProps = {
  /** The id of the form, whose button is outside of it. */
  formId: string;
  onAnswered: () => void;
};

/** Asks whether there is a domain, and for its name; having none is an answer. */
export function DomainQuestion({ formId, onAnswered }: DomainQuestionProps) {
  const { watch, setValue, setError, trigger } = useFormContext<NewDomainFields>();
  const [domain, platform] = watch(['domain', 'platform']);
  const [answer, choose] = useState<'none' | 'own'>(domain === '' ? 'none' : 'own');
  const refusal = domainsRefusal(platform);

  async function leave(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (answer === 'none' || refusal !== null) setValue('domain', '');
    else if (domain.trim() === '') {
      setError('domain', { type: 'required', message: 'Type your domain, or choose “No domain yet”.' });
      return;
    } else if (!(await trigger('domain', { shouldFocus: true }))) return;
    onAnswered();
  }

  return (
    <Card className="p-4 sm:p-5">
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={(event) => void leave(event)}>
        {refusal === null ? (
          <ChoiceList
            label="Your domain"
            value={answer}
            onChange={choose}
            choices={[
              {
                value: 'none',
                title: 'No domain yet',
                description: 'Your site gets an address of its own, and a domain can be added at any time.',
              },
              {
                value: 'own',
                title: 'I have a domain',
                description: 'You registered it somewhere, and can sign in there.',
              },
            ]}
          />
        ) : (
          <p className="text-ink-muted">{refusal}</p>
        )}
        {answer === 'own' && refusal === null && <NewDomainField label="Domain" />}
      </form>
    </Card>
  );
}
