import { useFormContext } from 'react-hook-form';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { consentsOf, type DestinationFields } from './destination-fields.ts';

/** Shows the consents that the platform needs before anything is made there, beside the button that makes it. */
export function Consents() {
  const { watch, setValue, formState } = useFormContext<DestinationFields>();
  const { platform, options } = watch();
  const consents = consentsOf({ platform, options });
  const problem = formState.errors.options?.root?.message ?? formState.errors.options?.message;
  if (consents.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {consents.map(({ name, words }) => (
        <Checkbox
          key={name}
          label={words}
          isChecked={options?.[name] === true}
          onChange={(isChecked) => setValue(`options.${name}`, isChecked)}
        />
      ))}
      {typeof problem === 'string' && <p className="text-xs text-bad">{problem}</p>}
    </div>
  );
}
