import { type InferSchemaType, Schema } from 'mongoose';
import { platformIdSchema } from '../../../../routers/schemas/platforms/index.ts';
import { destinationStateSchema } from '../../../../routers/schemas/states.ts';

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

/**
 * One platform of a deployment, whose `primaryId` names the primary one. `site` holds what its adapter has to remember.
 * Its publications have `state`, `error` and `url` as well; they are copied here because a list of deployments shows
 * them all in one read.
 */
export const destinationDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    platform: { type: String, enum: platformIdSchema.options, required: true },
    /** The connection whose credential opens the platform; null when it needs none. */
    connectionId: { type: String, default: null },
    targetId: { type: String, default: null },
    /** A person's choices among the platform's own settings: routers/schemas/platforms/options.ts. */
    options: { type: Schema.Types.Mixed, default: {} },
    /**
     * The name that the site is to have at the platform, even if the deployment is renamed. Null stands for the
     * deployment's address here.
     */
    wantedName: { type: String, default: null },
    site: { type: Schema.Types.Mixed, default: null },
    /** The address that the platform assigned. */
    url: { type: String, default: null },
    /** The last release that was seen live there. What the primary one serves is the deployment's `currentReleaseId`. */
    releaseId: { type: String, default: null },
    /**
     * True while the deployment moves there. A move needs no plan with several platforms and ends when this becomes
     * the primary destination.
     */
    isMove: { type: Boolean, default: false },
    state,
    error: { type: errorDocSchema, default: null },
  },
  { minimize: false },
);

export type DestinationDoc = InferSchemaType<typeof destinationDocSchema>;
