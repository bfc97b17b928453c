import { createHash } from 'node:crypto';
import { VisitModel, type VisitRow } from '../../server/database/models/analytics/visit.ts';
import { newId } from '../../server/database/mongo.ts';

type Owner = { accountId: string; deploymentId: string };

/** Returns the hash that stands for a person in a row, as the host makes them. */
export function visitorHash(who: string): string {
  return createHash('sha256').update(who).digest('base64url').slice(0, 12);
}

/** A row as a process of the host writes it: one person who opens the start page, unless it says otherwise. */
export function visitRow(owner: Owner, at: string, more: Partial<VisitRow> = {}): VisitRow {
  return {
    _id: newId(),
    ...owner,
    at: new Date(at),
    requests: 1,
    views: 1,
    bots: 0,
    bytes: 100,
    statuses: [{ status: 200, requests: 1 }],
    pages: [{ path: '/', views: 1 }],
    referrers: [],
    visitors: [visitorHash('somebody')],
    replies: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...more,
  };
}

/** Writes rows as the host does. */
export async function writeVisits(rows: readonly VisitRow[]): Promise<void> {
  await VisitModel.insertMany(rows);
}
