import { AppError } from '../errors.ts';
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
  { destination }: Pick<PlatformCall, 'destination'>,
  names: readonly [string, string],
  { make, isThere = async () => false }: Making<Made>,
): AsyncGenerator<PublishEvent, Made> {
  const { site } = destination;
  const noted = wantedIn(site);
  let last: unknown;
  for (const name of noted === names[1] ? names.slice(1) : names) {
    try {
      if (name !== noted) {
        if (name === names[0] && (await isThere(name))) continue;
        yield { type: 'site', site: { ...site, wanted: name } };
      }
      return await make(name, name === noted);
    } catch (error) {
      last = error;
      if (!(error instanceof AppError) || UNCLEAR.includes(error.code)) throw error;
      if (error.code !== 'name_taken') break;
    }
  }
  yield { type: 'site', site };
  throw last;
}
