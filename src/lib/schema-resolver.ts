import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';

type Issue = { path: readonly PropertyKey[]; code?: string | undefined; message: string };
type Parsed<Output> = { success: true; data: Output } | { success: false; error: { issues: readonly Issue[] } };
type FormSchema<Fields, Output> = {
  _zod: { input: Fields; output: Output };
  safeParse: (values: unknown) => Parsed<Output>;
};

/**
 * Checks a form with the server's own schema: the first message of each field. For forms without nested fields; the
 * package that does more brings all of zod along, 12 KB, into the sign-in screen.
 */
export function schemaResolver<Fields extends FieldValues, Output>(
  schema: FormSchema<Fields, Output>,
): Resolver<Fields, unknown, Output> {
  return (values) => {
    const parsed = schema.safeParse(values);
    return parsed.success ? { values: parsed.data, errors: {} } : { values: {}, errors: byField(parsed.error.issues) };
  };
}

/** The paths come from the schema whose input the form's fields are, so that they name its fields. */
function byField<Fields extends FieldValues>(issues: readonly Issue[]): FieldErrors<Fields> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, code, message } of issues) {
    errors[path.map(String).join('.')] ??= { type: code ?? 'invalid', message };
  }
  return errors as FieldErrors<Fields>;
}
