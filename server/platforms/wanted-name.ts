import { AppError } from '../errors.ts';
import type { PlatformCall, PublishEvent } from './platform.ts';
import { stringField } from './reference.ts';

/**
 * Makes what has no field for a mark of ours, under the first name; where that is taken, under the second. Each name is
 * noted before it is asked for: only a run that finds its note (`isNoted`) may have a forerunner that has made it, and
 * whatever else has the name belongs to the person.
 */
export async function* makeUnderName<Made>(
  { destination }: Pick<PlatformCall, 'destination'>,
  [first, second]: readonly [string, string],
  make: (name: string, isNoted: boolean) => Promise<Made>,
): AsyncGenerator<PublishEvent, Made> {
  const noted = stringField(destination.site, 'wanted');
  if (noted !== second) {
    if (noted !== first) yield { type: 'site', site: { wanted: first } };
    try {
      return await make(first, noted === first);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'name_taken') throw error;
    }
    yield { type: 'site', site: { wanted: second } };
  }
  return make(second, noted === second);
}
