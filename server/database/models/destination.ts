import { type InferSchemaType, Schema } from 'mongoose';
import { platformIdSchema } from '../../../routers/schemas/platforms/index.ts';
import { destinationStateSchema } from '../../../routers/schemas/states.ts';

/** The part of an error that is shown: `code`, and the words for a person. */
export const errorDocSchema = new Schema(
  {
    code: { type: String, required: true },
    message: { type: String, required: true },
    hint: { type: String, default: null },
    raw: { type: String, default: null },
  },
  { _id: false },
);

const state = { type: String, enum: destinationStateSchema.options, required: true, default: 'idle' as const };

/** One platform of a deployment; the first is the primary one. What its adapter must know again is in `site`. */
export const destinationDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** The connection whose token opens it; null where the platform needs none. */
    connectionId: { type: String, default: null },
    targetId: { type: String, default: null },
    /** A person's choices among the platform's own settings: routers/schemas/platforms/options.ts. */
    options: { type: Schema.Types.Mixed, default: {} },
    /** What it is to be called there, whatever the deployment is renamed to; null is the deployment's address here. */
    wantedName: { type: String, default: null },
    site: { type: Schema.Types.Mixed, default: null },
    /** The address that the platform gave it. */
    url: { type: String, default: null },
    /** The release that visitors have there; of the primary one the deployment knows it. */
    releaseId: { type: String, default: null },
    /** The deployment moves there: this needs no plan with several platforms, until it is the primary one. */
    isMove: { type: Boolean, default: false },
    state,
    error: { type: errorDocSchema, default: null },
  },
  { minimize: false },
);

/** The outcome of a release at one destination of its deployment; `_id` is that destination's. */
export const releaseDestinationDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** What a second run continues from: stored as soon as the platform names it. */
    ref: { type: Schema.Types.Mixed, default: null },
    url: { type: String, default: null },
    /** The release's own address, where the platform gives it one. */
    ownUrl: { type: String, default: null },
    /** When the act that is under way was begun, where that is another than the release's first. */
    startedAt: { type: Date, default: null },
    /** It had been live there before this act: going public again needs no upload. */
    wasLive: { type: Boolean, default: false },
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
    state,
    error: { type: errorDocSchema, default: null },
  },
  { minimize: false },
);

export type DestinationDoc = InferSchemaType<typeof destinationDocSchema>;
export type ReleaseDestinationDoc = InferSchemaType<typeof releaseDestinationDocSchema>;
