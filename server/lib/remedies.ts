import { AppError } from './errors.ts';

/** The advice for a reader of a job, which is tried again, and for a person whose own call failed, which is not. */
export type Remedy = { job: string; person: string };

export const GOES_ON: Remedy = {
  job: 'It continues automatically; there is nothing to do.',
  person: 'Try again in a few minutes.',
};
export const LOOKED_AT: Remedy = {
  job: 'It is checked again automatically.',
  person: 'Try again in a minute.',
};
export const TRIED_AGAIN: Remedy = { job: 'Fairlead tries again automatically.', person: 'Try again.' };

/** Returns both hints of an error, each followed by `more`. */
export function hintsOf(remedy: string | Remedy, more = ''): { hint: string; hintForPerson: string } {
  const { job, person } = typeof remedy === 'string' ? { job: remedy, person: remedy } : remedy;
  return { hint: `${job} ${more}`.trimEnd(), hintForPerson: `${person} ${more}`.trimEnd() };
}

/** Returns the error for a person whose own call failed: nothing is tried again after that. */
export function errorForPerson(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hintForPerson === undefined) return error;
  const { code, message, cause, hintForPerson } = error;
  return hintForPerson === error.hint ? error : new AppError(code, message, { ...error, hint: hintForPerson, cause });
}
