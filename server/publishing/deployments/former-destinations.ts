import type { ClientSession } from 'mongoose';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { DomainModel, type FormerDestination } from '../../database/models/domains/domain.ts';
import { AppError } from '../../lib/errors.ts';

/** Throws `conflict` while the records of a domain still point to a destination that is to be removed. */
export async function requireNobodyLedTo(
  session: ClientSession,
  accountId: string,
  { destinationId, platform }: Pick<FormerDestination, 'destinationId' | 'platform'>,
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

/** Forgets a destination that is gone: with the site the names are free there. */
export async function forgetDestination(
  session: ClientSession,
  accountId: string,
  destination: Pick<FormerDestination, 'deploymentId'> & Partial<Pick<FormerDestination, 'destinationId'>>,
): Promise<void> {
  await DomainModel.updateMany(
    { accountId, leaving: { $elemMatch: destination } },
    { $pull: { leaving: destination } },
    { session },
  );
}
