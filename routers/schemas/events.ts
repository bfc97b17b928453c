import * as z from 'zod/mini';
import { idSchema } from './primitives.ts';
import { releaseStepNameSchema, stepStateSchema } from './states.ts';

/** The five realtime events, each with the ids of its subjects. They are stored and numbered. */
const deploymentStatusEvent = z.strictObject({
  type: z.literal('deployment_status'),
  status: z.enum(['success', 'failed']),
  message: z.string(),
  deploymentId: idSchema,
  releaseId: idSchema,
});
const sslStatusEvent = z.strictObject({
  type: z.literal('ssl_status'),
  domain: z.string(),
  sslStatus: z.string(),
  isValid: z.boolean(),
});
const notificationEvent = z.strictObject({
  type: z.literal('notification'),
  title: z.optional(z.string()),
  message: z.string(),
  variant: z.optional(z.enum(['default', 'destructive'])),
  deploymentId: z.optional(idSchema),
  releaseId: z.optional(idSchema),
});
const subscriptionUpdateEvent = z.strictObject({ type: z.literal('subscription_update') });
const analyticsUpdateEvent = z.strictObject({
  type: z.literal('analytics_update'),
  deploymentId: z.optional(idSchema),
  releaseId: z.optional(idSchema),
});

const storedEventSchema = z.discriminatedUnion('type', [
  deploymentStatusEvent,
  sslStatusEvent,
  notificationEvent,
  subscriptionUpdateEvent,
  analyticsUpdateEvent,
]);

export const logLineSchema = z.strictObject({ at: z.date(), text: z.string() });

/**
 * Updates the steps on the screen; at most four a second for a release, not stored, empties no cache. `log` holds the
 * lines since the last one.
 */
const releaseProgressEvent = z.strictObject({
  type: z.literal('release_progress'),
  deploymentId: idSchema,
  releaseId: idSchema,
  destinationId: idSchema,
  step: releaseStepNameSchema,
  state: stepStateSchema,
  startedAt: z.nullable(z.date()),
  endedAt: z.nullable(z.date()),
  done: z.number(),
  total: z.number(),
  doneBytes: z.number(),
  totalBytes: z.number(),
  doneBefore: z.nullable(z.number()),
  doneBytesBefore: z.nullable(z.number()),
  log: z.array(logLineSchema),
  /** The number of lines before those in `log`: a reader that has more of them skips the known ones. */
  firstLine: z.optional(z.number()),
});

/** The host has counted visits of the account: at most every few seconds, not stored, and no toast. */
const visitsCountedItem = z.strictObject({ type: z.literal('visits_counted') });

/**
 * Two tracked items that are not events: one is sent at once when started without an id, the other when the log no
 * longer reaches back.
 */
const readyItem = z.strictObject({ type: z.literal('ready') });
const resyncItem = z.strictObject({ type: z.literal('resync') });

export const streamItemSchema = z.discriminatedUnion('type', [
  deploymentStatusEvent,
  sslStatusEvent,
  notificationEvent,
  subscriptionUpdateEvent,
  analyticsUpdateEvent,
  releaseProgressEvent,
  visitsCountedItem,
  readyItem,
  resyncItem,
]);

export const streamInput = z.strictObject({
  lastEventId: z.nullish(z.string().check(z.regex(/^\d{1,15}$/, 'This is not an event id'))),
});
export const sendTestInput = z.strictObject({
  title: z.optional(z.string().check(z.maxLength(80, 'The title is too long'))),
  message: z.string().check(z.minLength(1, 'Write a message'), z.maxLength(300, 'The message is too long')),
});

export type StoredEvent = z.infer<typeof storedEventSchema>;
export type ReleaseProgressEvent = z.infer<typeof releaseProgressEvent>;
export type StreamItem = z.infer<typeof streamItemSchema>;
export type SendTestInput = z.infer<typeof sendTestInput>;
export type LogLine = z.infer<typeof logLineSchema>;
