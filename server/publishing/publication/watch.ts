import type { Providers } from '../../context.ts';
import { DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { ReleaseModel, type ReleaseRow } from '../../database/models/publishing/release.ts';
import { AppError } from '../../lib/errors.ts';
import { BEING_PUBLISHED, type ReleaseWork } from './release-work.ts';

/** The interval at which a worker checks whether its work is still wanted, when no change feed tells it. */
const POLL_MS = 1_000;

export type Watch = { signal: AbortSignal; stop(): void };
type Watched = {
  collection: 'releases' | 'deployments';
  id: string;
  /** The field whose change is looked at; any, where it is left out. */
  field?: string;
  isOver(): Promise<boolean>;
  /** Known before the first check. */
  isOverAlready?: boolean;
  message: string;
};

/**
 * Returns a signal that is aborted within a second or two after the publication was called off, on any instance: somebody
 * asked to cancel the release, or at another than the primary destination that is taken away or follows another release.
 */
export function watchPublication(providers: Providers, work: ReleaseWork): Watch {
  return work.isPrimary ? watchCancel(providers, work.release) : watchDestination(providers, work);
}

function watchCancel(providers: Providers, { _id, accountId, cancelRequestedAt }: ReleaseRow): Watch {
  const asked = { _id, accountId, cancelRequestedAt: { $ne: null } };
  const isOver = async (): Promise<boolean> => (await ReleaseModel.exists(asked)) !== null;
  const isOverAlready = cancelRequestedAt instanceof Date;
  const message = 'This release was cancelled.';
  const field = 'cancelRequestedAt';
  return watch(providers, { collection: 'releases', id: _id, field, isOver, isOverAlready, message });
}

function watchDestination(providers: Providers, { deployment, destination, release }: ReleaseWork): Watch {
  const { _id, accountId } = deployment;
  const wanted = {
    _id,
    accountId,
    currentReleaseId: release._id,
    state: { $ne: 'deleting' as const },
    destinations: { $elemMatch: { _id: destination._id, state: { $in: [...BEING_PUBLISHED] } } },
  };
  const isOver = async (): Promise<boolean> => (await DeploymentModel.exists(wanted)) === null;
  return watch(providers, {
    collection: 'deployments',
    id: _id,
    isOver,
    message: 'Another release is published there.',
  });
}

function watch(providers: Providers, { collection, id, field, isOver, isOverAlready, message }: Watched): Watch {
  const over = new AbortController();
  const end = (): void => over.abort(new AppError('state_changed', message));
  if (isOverAlready) end();
  const look = async (): Promise<void> => {
    if (await isOver()) end();
  };
  // While the database is away nothing can be asked; the next check comes soon.
  const lookQuietly = (): void => void look().catch(() => undefined);
  const timer = setInterval(lookQuietly, POLL_MS);
  timer.unref();
  const unsubscribe = providers.changes.subscribe([collection], {
    onChange: ({ id: changed, paths }) => {
      const isAsked = field === undefined || paths === undefined || paths.includes(field);
      if (changed === id && isAsked) lookQuietly();
    },
    onReopened: lookQuietly,
  });
  return {
    signal: over.signal,
    stop: () => {
      clearInterval(timer);
      unsubscribe();
    },
  };
}
