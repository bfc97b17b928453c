import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { platformIdSchema } from '../../../routers/schemas/platforms/index.ts';
import { destinationStateSchema, RELEASE_STEPS, stepStateSchema } from '../../../routers/schemas/states.ts';
import { accountScope } from './account-scope.ts';
import { errorDocSchema } from './destination.ts';

/** Lines kept a step, of 500 characters at most; the oldest go first. */
export const STEP_LOG_LINES = 200;

/** One step: start, end, progress and log, persisted and pushed. */
const stepDocSchema = new Schema(
  {
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
  { _id: false },
);

const step = { type: stepDocSchema, required: true, default: () => ({}) } as const;
const stepsDocSchema = new Schema(
  { preparing: step, uploading: step, processing: step, verifying: step },
  { _id: false },
);

/** What becomes of a release at one destination of its deployment, `_id` = `{releaseId}.{destinationId}`. */
const publicationDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    releaseId: { type: String, required: true },
    destinationId: { type: String, required: true },
    platform: { type: String, enum: platformIdSchema.options, required: true },
    state: { type: String, enum: destinationStateSchema.options, required: true, default: 'idle' as const },
    error: { type: errorDocSchema, default: null },
    /** What a second run continues from: stored as soon as the platform names it. */
    ref: { type: Schema.Types.Mixed, default: null },
    url: { type: String, default: null },
    /** The release's own address, where the platform gives it one. */
    ownUrl: { type: String, default: null },
    /** When the act that is under way was begun, where that is another than the release's first. */
    startedAt: { type: Date, default: null },
    /** It had been live there before this act: going public again needs no upload. */
    wasLive: { type: Boolean, required: true, default: false },
    /** The act of going public that is under way or was the last: a roll back is another one. */
    actId: { type: String, default: null },
    /** When that act was done at the platform: from then on its edge has to follow. */
    publicAt: { type: Date, default: null },
    /**
     * Records the conditions under which all of its files were seen (server/services/releases/seen-files.ts); it counts
     * once the release was live.
     */
    verifiedUnder: { type: String, default: null },
    /** How far the looks of the act that is under way are, a line a list (server/services/releases/looked.ts). */
    looked: { type: [String], required: true, default: [] },
    /** What the entry page names and visitors do not get (server/services/releases/entry-page.ts), from the slash on. */
    missingLinks: { type: [String], required: true, default: [] },
    /** The address that a person gave after they finished a hand-off. */
    confirmedUrl: { type: String, default: null },
    steps: { type: stepsDocSchema, required: true, default: () => ({}) },
  },
  { collection: 'publications', minimize: false },
);
// Those of a release; and which releases wait for their owner, or are being published, somewhere.
publicationDocSchema.index({ accountId: 1, releaseId: 1, state: 1 }, { name: 'account_release' });
publicationDocSchema.index({ accountId: 1, state: 1, releaseId: 1 }, { name: 'account_state' });
// Those at a destination that is taken away.
publicationDocSchema.index({ accountId: 1, destinationId: 1 }, { name: 'account_destination' });
publicationDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type PublicationRow = InferSchemaType<typeof publicationDocSchema>;
export type PublicationDoc = HydratedDocument<PublicationRow>;
export const PublicationModel = model('Publication', publicationDocSchema);

type PublicationIds = { releaseId: string; destinationId: string };

export function publicationId({ releaseId, destinationId }: PublicationIds): string {
  return `${releaseId}.${destinationId}`;
}

/** A step that nobody has begun, for an act that begins anew with it. */
export const STEP_NOT_BEGUN = {
  ...{ state: 'waiting', startedAt: null, endedAt: null, log: [], logCount: 0, isWaiting: false },
  ...{ done: 0, total: 0, doneBytes: 0, totalBytes: 0, doneBefore: null, doneBytesBefore: null },
} as const;

/** Returns the steps of a publication in the order in which they run. */
export function stepsOf({ steps }: Pick<PublicationRow, 'steps'>) {
  return RELEASE_STEPS.map((name) => ({ ...steps[name], name }));
}
