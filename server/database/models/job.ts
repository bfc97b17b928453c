import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

const DAYS_KEPT = 14;

/** One unit of background work. The server's clock alone decides times and leases. */
const jobDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    accountId: { type: String, required: true },
    /** Two jobs of one key never run at once: `publish` has one for each destination. */
    key: { type: String, required: true },
    dedupeKey: { type: String, default: null },
    status: { type: String, enum: ['queued', 'running', 'done', 'dead'] as const, required: true },
    runAt: { type: Date, required: true },
    attempt: { type: Number, required: true, default: 0 },
    maxAttempts: { type: Number, required: true, default: 5 },
    /**
     * Names what the job waits for at another service, and counts how often it was put back for that. A wait is no
     * attempt.
     */
    waitsOf: { type: String, default: null },
    waits: { type: Number, default: 0 },
    /**
     * True when the job waits for another service and is claimed by the lane of waiting jobs; null until it steps
     * aside.
     */
    isAside: { type: Boolean, default: null },
    /** The time of the claim that holds a slot, the slot time used lately, and when that was noted (queue/held.ts). */
    claimedAt: { type: Date, default: null },
    heldMs: { type: Number, default: 0 },
    heldAt: { type: Date, default: null },
    /**
     * Each claim raises it, and every write of a handler carries it, so that a worker that lost its lease cannot
     * write.
     */
    fence: { type: Number, required: true, default: 0 },
    leaseUntil: { type: Date, default: null },
    worker: { type: String, default: null },
    lastError: { type: String, default: null },
    finishedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'jobs', minimize: false },
);
// The queue is walked account by account; jobs that are not due yet, or that wait for their key, are skipped unread.
jobDocSchema.index({ status: 1, name: 1, isAside: 1, accountId: 1, runAt: 1, key: 1 }, { name: 'queued_turns' });
// Each claim adds up from the index alone how long accounts have held slots.
jobDocSchema.index({ name: 1, heldAt: 1, status: 1, accountId: 1, heldMs: 1 }, { name: 'held_lately' });
jobDocSchema.index({ status: 1, leaseUntil: 1, name: 1 }, { name: 'status_lease' });
jobDocSchema.index(
  { key: 1 },
  { name: 'one_running_a_key', unique: true, partialFilterExpression: { status: 'running' } },
);
jobDocSchema.index({ key: 1, status: 1 }, { name: 'queued_of_a_key', partialFilterExpression: { status: 'queued' } });
jobDocSchema.index(
  { dedupeKey: 1 },
  {
    name: 'one_open_a_dedupe_key',
    unique: true,
    partialFilterExpression: { status: { $in: ['queued', 'running'] }, dedupeKey: { $type: 'string' } },
  },
);
jobDocSchema.index({ status: 1, finishedAt: 1 }, { name: 'dead_letters', partialFilterExpression: { status: 'dead' } });
jobDocSchema.index({ finishedAt: 1 }, { name: 'kept_days', expireAfterSeconds: DAYS_KEPT * 86_400 });
jobDocSchema.plugin(accountScope);

export type JobDoc = HydratedDocument<InferSchemaType<typeof jobDocSchema>>;
export const JobModel = model('Job', jobDocSchema);
