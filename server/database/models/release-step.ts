import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { releaseStepNameSchema, stepStateSchema } from '../../../routers/schemas/states.ts';
import { accountScope } from './account-scope.ts';

/** Lines kept a step, of 500 characters at most; the oldest go first. */
export const STEP_LOG_LINES = 200;

/** One step of a release, `_id` = `{releaseId}.{name}`: start, end, progress and log, persisted and pushed. */
const releaseStepDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    releaseId: { type: String, required: true },
    name: { type: String, enum: releaseStepNameSchema.options, required: true },
    state: { type: String, enum: stepStateSchema.options, required: true, default: 'waiting' as const },
    startedAt: { type: Date, default: null },
    endedAt: { type: Date, default: null },
    done: { type: Number, required: true, default: 0 },
    total: { type: Number, required: true, default: 0 },
    doneBytes: { type: Number, required: true, default: 0 },
    totalBytes: { type: Number, required: true, default: 0 },
    /** Of `done`, what the platform had before anything was sent: the rest has travelled. Null where nothing tells. */
    doneBefore: { type: Number, default: null },
    doneBytesBefore: { type: Number, default: null },
    log: {
      type: [
        new Schema({ at: { type: Date, required: true }, text: { type: String, required: true } }, { _id: false }),
      ],
      required: true,
      default: [],
    },
    /** Left because nothing could be done for a while: to go on with it is no interruption worth a line. */
    isWaiting: { type: Boolean, required: true, default: false },
    /** Lines ever written: how a reader of the change stream knows which of `log` are new to it. */
    logCount: { type: Number, required: true, default: 0 },
  },
  { collection: 'release_steps' },
);
releaseStepDocSchema.index({ accountId: 1, releaseId: 1 }, { name: 'account_release' });
// The steps that move now: read once by every event stream that comes back.
releaseStepDocSchema.index(
  { accountId: 1 },
  { name: 'account_running', partialFilterExpression: { state: 'running' } },
);
releaseStepDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type ReleaseStepRow = InferSchemaType<typeof releaseStepDocSchema>;
export type ReleaseStepDoc = HydratedDocument<ReleaseStepRow>;
export const ReleaseStepModel = model('ReleaseStep', releaseStepDocSchema);
