import { type InferSchemaType, model, Schema } from 'mongoose';
import { platformIdSchema } from '../../../../routers/schemas/platforms/index.ts';
import { destinationStateSchema, RELEASE_STEPS, stepStateSchema } from '../../../../routers/schemas/states.ts';
import { accountScope } from '../account-scope.ts';
import { errorDocSchema } from './destination.ts';

/** Lines kept for each step, of 500 characters at most; the oldest go first. */
export const STEP_LOG_LINES = 200;

/** One step: its start, end, progress and log, stored and pushed. */
const stepDocSchema = new Schema(
  {
    state: { type: String, enum: stepStateSchema.options, required: true, default: 'waiting' as const },
    startedAt: { type: Date, default: null },
    endedAt: { type: Date, default: null },
    done: { type: Number, required: true, default: 0 },
    total: { type: Number, required: true, default: 0 },
    doneBytes: { type: Number, required: true, default: 0 },
    totalBytes: { type: Number, required: true, default: 0 },
    /**
     * The part of `done` that the platform had before anything was sent; the rest was transferred. Null when the
     * platform does not tell.
     */
    doneBefore: { type: Number, default: null },
    doneBytesBefore: { type: Number, default: null },
    log: {
      type: [
        new Schema({ at: { type: Date, required: true }, text: { type: String, required: true } }, { _id: false }),
      ],
      required: true,
      default: [],
    },
    /**
     * True when the step paused because nothing could be done for a while. Resuming it is no interruption worth a line
     * in the log.
     */
    isWaiting: { type: Boolean, required: true, default: false },
    /** Lines ever written, by which a reader of the change stream knows which lines of `log` are new. */
    logCount: { type: Number, required: true, default: 0 },
  },
  { _id: false },
);

const step = { type: stepDocSchema, required: true, default: () => ({}) } as const;
const stepsDocSchema = new Schema(
  { preparing: step, uploading: step, processing: step, verifying: step },
  { _id: false },
);

/** A release at one destination of its deployment, `_id` = `{releaseId}.{destinationId}`. */
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
    /** A second run continues from this reference, which is stored as soon as the platform names it. */
    ref: { type: Schema.Types.Mixed, default: null },
    url: { type: String, default: null },
    /** The release's own address, if the platform assigns one. */
    ownUrl: { type: String, default: null },
    /** The start of the current act, if it is not the release's first one here. */
    startedAt: { type: Date, default: null },
    /** True when the release was live there before this act: it goes public again without an upload. */
    wasLive: { type: Boolean, required: true, default: false },
    /** Identifies the current or latest act of going public here; a rollback is a new one. */
    actId: { type: String, default: null },
    /** The time at which the act was done at the platform; from then on its edge has to follow. */
    publicAt: { type: Date, default: null },
    /**
     * Records the conditions under which all of its files were verified
     * (server/publishing/publication/verification/verified-files.ts); it counts once the release was live.
     */
    verifiedUnder: { type: String, default: null },
    /**
     * The progress of verification in the current act, one line for each list
     * (server/publishing/publication/verification/turns.ts).
     */
    looked: { type: [String], required: true, default: [] },
    /**
     * Resources that the entry page names and visitors do not get (server/publishing/inspection/entry-page.ts), as
     * paths from the first slash on; one may be followed by its right name, as in “/logo.png is called Logo.png”.
     */
    missingLinks: { type: [String], required: true, default: [] },
    /** The address that a person gave at the end of a hand-off. */
    confirmedUrl: { type: String, default: null },
    steps: { type: stepsDocSchema, required: true, default: () => ({}) },
  },
  { collection: 'publications', minimize: false },
);
// Finds the publications of a release, and the releases that wait for their owner or are being published somewhere.
publicationDocSchema.index({ accountId: 1, releaseId: 1, state: 1 }, { name: 'account_release' });
publicationDocSchema.index({ accountId: 1, state: 1, releaseId: 1 }, { name: 'account_state' });
// Finds the publications at a destination that is removed.
publicationDocSchema.index({ accountId: 1, destinationId: 1 }, { name: 'account_destination' });
publicationDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type PublicationRow = InferSchemaType<typeof publicationDocSchema>;
export const PublicationModel = model('Publication', publicationDocSchema);

type PublicationIds = { releaseId: string; destinationId: string };

export function publicationId({ releaseId, destinationId }: PublicationIds): string {
  return `${releaseId}.${destinationId}`;
}

/** A step that has not begun, for an act that starts with it anew. */
export const STEP_NOT_BEGUN = {
  ...{ state: 'waiting', startedAt: null, endedAt: null, log: [], logCount: 0, isWaiting: false },
  ...{ done: 0, total: 0, doneBytes: 0, totalBytes: 0, doneBefore: null, doneBytesBefore: null },
} as const;

/** Returns the steps of a publication in the order in which they run. */
export function stepsOf({ steps }: Pick<PublicationRow, 'steps'>) {
  return RELEASE_STEPS.map((name) => ({ ...steps[name], name }));
}
