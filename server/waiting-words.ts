import { AppError } from './errors.ts';

/** What hints say to a job, which is tried again, and to a person, whose own call is not. */
export const GOES_ON = {
  job: 'It goes on by itself; nothing needs to be done.',
  person: 'Try again in a few minutes.',
};
export const LOOKED_AT = { job: 'It is looked at again and goes on by itself.', person: 'Try again in a minute.' };
export const TRIED_AGAIN = { job: 'It is tried again by itself.', person: 'Try again.' };

/** Returns an error as it is told to a person whose own call failed: nothing is tried again after that. */
export function toldToPerson(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hint === undefined) return error;
  const { code, message, cause, hint } = error;
  const forPerson = [GOES_ON, LOOKED_AT, TRIED_AGAIN].reduce(
    (said, { job, person }) => said.replace(job, person),
    hint,
  );
  return forPerson === hint ? error : new AppError(code, message, { ...error, hint: forPerson, cause });
}
