import type { ClientSession } from 'mongoose';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { AppError } from '../../lib/errors.ts';

/** A domain that has moved is still served at its former place until its records point to the new one. */
type FormerPlace = { deploymentId: string; destinationId: string; platform: PlatformId };

/** Throws `conflict` while the records of a domain still point to a destination that is to be removed. */
export async function requireNobodyLedTo(
  session: ClientSession,
  accountId: string,
  { destinationId, platform }: Pick<FormerPlace, 'destinationId' | 'platform'>,
): Promise<void> {
  const leaving = { $elemMatch: { destinationId, isEnding: false } };
  const led = await DomainModel.findOne({ accountId, leaving, state: { $ne: 'removing' } }).session(session);
  if (led === null) return;
  const { title } = PLATFORMS[platform];
  throw new AppError(
    'conflict',
    `The records of ${led.name} still point to ${title}: visitors of ${led.name} would find nothing.`,
    {
      hint: 'Change them as the page of the domain shows, or remove the domain, then try again.',
    },
  );
}

/** Forgets a place that is gone: with the site the names are free there. */
export async function forgetPlace(
  session: ClientSession,
  accountId: string,
  place: Pick<FormerPlace, 'deploymentId'> & Partial<Pick<FormerPlace, 'destinationId'>>,
): Promise<void> {
  await DomainModel.updateMany(
    { accountId, leaving: { $elemMatch: place } },
    { $pull: { leaving: place } },
    { session },
  );
}
