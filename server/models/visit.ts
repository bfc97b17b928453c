import { model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

/** The longest that a plan keeps analytics: 13 months. */
const KEPT_SECONDS = 396 * 24 * 60 * 60;

/**
 * What one process of the host answered for one deployment since its last writing, within one minute: counts alone, no
 * address and no cookie. Rows are only ever inserted, under ids made before, so that writing again counts nothing
 * twice.
 */
const visitDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    at: { type: Date, required: true },
    requests: { type: Number, required: true },
    /** Pages that somebody opened. */
    views: { type: Number, required: true },
    bytes: { type: Number, required: true },
    statuses: { type: [{ _id: false, status: Number, requests: Number }], required: true },
    pages: { type: [{ _id: false, path: String, views: Number }], required: true },
    referrers: { type: [{ _id: false, host: String, views: Number }], required: true },
    /** Salted hashes that live for a day: equal ones are one visitor of that day. */
    visitors: { type: [String], required: true },
    /**
     * Requests by how long their answer took: one number for each of `REPLY_BUCKETS_MS`, and one for what is slower.
     */
    replies: { type: [Number], required: true },
  },
  { collection: 'visits' },
);
visitDocSchema.index({ accountId: 1, deploymentId: 1, at: 1 }, { name: 'account_deployment_at' });
visitDocSchema.index({ at: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
visitDocSchema.plugin(accountScope);

export const REPLY_BUCKETS_MS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000] as const;

export type VisitRow = {
  _id: string;
  accountId: string;
  deploymentId: string;
  at: Date;
  requests: number;
  views: number;
  bytes: number;
  statuses: { status: number; requests: number }[];
  pages: { path: string; views: number }[];
  referrers: { host: string; views: number }[];
  visitors: string[];
  replies: number[];
};
export const VisitModel = model('Visit', visitDocSchema);
