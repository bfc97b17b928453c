import { useFormContext } from 'react-hook-form';
import {
  type OptionField,
  optionFieldsOf,
  PAYMENT_CONSENT,
} from '../../../../routers/schemas/platforms/option-fields.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { type DestinationFields, optionProblem } from './destination-fields.ts';

/** Asks for the chosen platform's own settings, with the rule beside each. */
export function OptionFields() {
  const { watch } = useFormContext<DestinationFields>();
  return optionFieldsOf(watch('platform')).map((field) => <OptionInput key={field.name} field={field} />);
}

function OptionInput({ field: { name, label, hint, choices } }: { field: OptionField }) {
  const { watch, setValue, register } = useFormContext<DestinationFields>();
  const { platform, options } = watch();
  const value = options?.[name];
  return (
    <Field label={label} hint={hint} error={optionProblem({ platform, options }, name)}>
      {choices === undefined ? (
        <Input {...register(`options.${name}`)} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      ) : (
        <Select
          value={typeof value === 'string' ? value : choices[0]?.value}
          onValueChange={(next) => {
            setValue(`options.${name}`, next);
            if (choices.some(({ price }) => price !== undefined)) setValue(`options.${PAYMENT_CONSENT}`, false);
          }}
          options={choices}
        />
      )}
    </Field>
  );
}
