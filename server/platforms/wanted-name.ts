import { AppError } from '../lib/errors.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from './platform.ts';
import { stringField } from './reference.ts';

type Making<Made> = {
  /** `isNoted`: an earlier run has noted this name, and may have made it. Throws `name_taken`. */
  make(name: string, isNoted: boolean): Promise<Made>;
  /** For what has no field for a mark of ours: whether the account has this name before we ask for it. */
  isThere?(name: string): Promise<boolean>;
};

/** The name under which a place was asked for whose making nobody has noted; null where there is none. */
export function wantedIn(site: PlatformRef | null): string | null {
  return stringField(site, 'wanted');
}

/** After these nobody knows whether it was made. */
const UNCLEAR: readonly string[] = ['platform_down', 'overloaded'];

/**
 * Makes a place under the first name; where that is taken, under the second. Each name is noted before it is asked for:
 * who comes after a run that was killed looks it up before another is tried, and so does who takes the deployment away
 * (`wantedIn`). What the account had before is never noted, since it belongs to the person; what was refused is forgotten.
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
    // Who walks away, as after a cancellation, has heard of no refusal.
    if (isRefused && !signal.aborted) yield { type: 'site', site };
    throw error;
  }
}

/** Null where somebody else has the name. */
async function unlessTaken<Made>(made: Promise<Made>): Promise<Made | null> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof AppError && error.code === 'name_taken') return null;
    throw error;
  }
}
