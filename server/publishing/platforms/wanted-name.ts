import { AppError } from '../../lib/errors.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from './platform.ts';
import { stringField } from './reference.ts';

type Making<Made> = {
  /** `isNoted`: an earlier run has recorded this name, and may have made it. Throws `name_taken`. */
  make(name: string, isNoted: boolean): Promise<Made>;
  /** Returns whether the account already has this name; needed when the place has no field for a mark of ours. */
  isThere?(name: string): Promise<boolean>;
};

/** Returns the requested name of a place whose creation was not recorded; null when there is none. */
export function wantedIn(site: PlatformRef | null): string | null {
  return stringField(site, 'wanted');
}

/** After these errors nobody knows whether it was made. */
const UNCLEAR: readonly string[] = ['platform_down', 'overloaded'];

/**
 * Makes a place with the first name, or the second if that is taken. Each name is recorded before it is requested: a
 * run that follows a killed one looks it up before it tries another, and so does the removal of the deployment
 * (`wantedIn`). Places that the account had before are never recorded, since they belong to the person; refused names
 * are forgotten.
 */
export async function* makeUnderName<Made>(
  { destination, signal }: Pick<PlatformCall, 'destination' | 'signal'>,
  names: readonly [string, string],
  { make, isThere = async () => false }: Making<Made>,
): AsyncGenerator<PublishEvent, Made> {
  const { site } = destination;
  const [first, second] = names;
  const noted = wantedIn(site);
  const note = (wanted: string): PublishEvent => ({ type: 'site', site: { ...site, wanted } });
  const isTaken = noted === second || (noted !== first && (await isThere(first)));
  try {
    if (!isTaken && noted !== first) yield note(first);
    const made = isTaken ? null : await unlessTaken(make(first, noted === first));
    if (made !== null) return made;
    if (noted !== second) yield note(second);
    return await make(second, noted === second);
  } catch (error) {
    const isRefused = error instanceof AppError && !UNCLEAR.includes(error.code);
    // A caller that leaves, as after a cancellation, learns of no refusal.
    if (isRefused && !signal.aborted) yield { type: 'site', site };
    throw error;
  }
}

/** Returns null when somebody else has the name. */
async function unlessTaken<Made>(made: Promise<Made>): Promise<Made | null> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof AppError && error.code === 'name_taken') return null;
    throw error;
  }
}
