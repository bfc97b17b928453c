import { useCallback } from 'react';
import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import { useWhenIdle } from './later.ts';

type Issue = { path: readonly PropertyKey[]; code?: string | undefined; message: string };
type Parsed<Output> = { success: true; data: Output } | { success: false; error: { issues: readonly Issue[] } };
type FormSchema<Fields, Output> = {
  _zod: { input: Fields; output: Output };
  safeParse: (values: unknown) => Parsed<Output>;
};

/**
 * Checks a form with the server's own schema: the first message of each field. For forms without nested fields; the
 * package that does more brings all of zod along, 12 KB, into the sign-in screen. The schema itself, and zod with it, is
 * fetched while the form is filled in: `load` must be the same function from render to render.
 */
export function useSchemaResolver<Fields extends FieldValues, Output>(
  load: () => Promise<FormSchema<Fields, Output>>,
): Resolver<Fields, unknown, Output> {
  useWhenIdle(load);
  return useCallback<Resolver<Fields, unknown, Output>>(
    async (values, _context, { names = [] }) => {
      const schema = await load().catch(() => null);
      if (schema === null) return { values: {}, errors: notChecked<Fields>(names[0]) };
      const parsed = schema.safeParse(values);
      return parsed.success
        ? { values: parsed.data, errors: {} }
        : { values: {}, errors: byField(parsed.error.issues) };
    },
    [load],
  );
}

/** Where the rules did not come, nothing is sent: the server would not be reached either. */
function notChecked<Fields extends FieldValues>(name: string | undefined): FieldErrors<Fields> {
  const message = 'Fairlead cannot be reached. Check your connection and try again.';
  return byField([{ path: [name ?? 'root'], code: 'unreachable', message }]);
}

/** The paths come from the schema whose input the form's fields are, so that they name its fields. */
function byField<Fields extends FieldValues>(issues: readonly Issue[]): FieldErrors<Fields> {
  const errors: Record<string, { type: string; message: string }> = {};
  for (const { path, code, message } of issues) {
    errors[path.map(String).join('.')] ??= { type: code ?? 'invalid', message };
  }
  return errors as FieldErrors<Fields>;
}
