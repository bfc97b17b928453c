import { toAppError } from '../../routers/error-shape.ts';
import type { AppError } from '../../server/lib/errors.ts';

/** Returns the error that a call was refused with, as its caller gets it. Fails the test when the call went through. */
export async function refusalOf(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => toAppError(thrown),
  );
  if (error === undefined) throw new Error('The call went through although it had to be refused.');
  if (error.code === 'internal') throw error.cause;
  return error;
}
