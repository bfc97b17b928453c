import { model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/** The longest time for which a plan keeps analytics: 13 months. */
export const VISITS_KEPT_SECONDS = 396 * 24 * 60 * 60;

/**
 * The counters of any span of time. In `pages` and `referrers`, an entry with an empty name counts everything that is
 * not listed.
 */
export const countFields = {
  requests: { type: Number, required: true },
  /** Pages that a person opened. */
  views: { type: Number, required: true },
  /** Requests by programs. They count in the requests, bytes, statuses and replies, and nowhere else. */
  bots: { type: Number, required: true, default: 0 },
  bytes: { type: Number, required: true },
  statuses: { type: [{ _id: false, status: Number, requests: Number }], required: true },
  pages: { type: [{ _id: false, path: String, views: Number }], required: true },
  referrers: { type: [{ _id: false, host: String, views: Number }], required: true },
  /** Requests by the time their answer took: one number for each of `REPLY_BUCKETS_MS`, and one for slower answers. */
  replies: { type: [Number], required: true },
} as const;

/**
 * The answers of one process of the host for one deployment within one minute, since its last write: counts alone, no
 * address and no cookie. Rows are only inserted, under ids made before, so that writing again counts nothing twice. A
 * job adds them up to hours and days (server/analytics/roll-up.ts) and deletes them.
 */
const visitDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    at: { type: Date, required: true },
    ...countFields,
    /** Salted hashes that live for a day: equal ones are one visitor of that day (server/lib/visitor-set.ts). */
    visitors: { type: [String], required: true },
  },
  { collection: 'visits' },
);
visitDocSchema.index({ accountId: 1, deploymentId: 1, at: 1 }, { name: 'account_deployment_at' });
visitDocSchema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: VISITS_KEPT_SECONDS });
visitDocSchema.plugin(accountScope);

export const REPLY_BUCKETS_MS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000] as const;

/** The name under which everything that is not listed is counted. */
export const OTHER = '';

export type VisitCounts = {
  requests: number;
  views: number;
  bots: number;
  bytes: number;
  statuses: { status: number; requests: number }[];
  pages: { path: string; views: number }[];
  referrers: { host: string; views: number }[];
  replies: number[];
};

export type VisitRow = VisitCounts & {
  _id: string;
  accountId: string;
  deploymentId: string;
  at: Date;
  visitors: string[];
};
export const VisitModel = model('Visit', visitDocSchema);
