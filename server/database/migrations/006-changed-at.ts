import type { Migration } from './index.ts';

/** Domains and certificates say when they changed: of those from before, the latest of the times that they know. */
export const changedAt: Migration = {
  number: 6,
  name: 'changed-at',
  async run(database) {
    // By the index of the ids, which are all texts, because databases may refuse a scan of a whole collection.
    const missing = { _id: { $gte: '' }, changedAt: { $exists: false } };
    const latestOf = (...times: unknown[]) => [{ $set: { changedAt: { $max: times } } }];
    await database
      .collection<{ _id: string }>('domains')
      .updateMany(missing, latestOf('$createdAt', '$provedAt', '$activeSince', '$problem.since', '$lostAt'));
    await database
      .collection<{ _id: string }>('certificates')
      .updateMany(missing, latestOf('$createdAt', '$issued.notBefore', { $last: '$history.at' }));
  },
};
