import * as z from 'zod/mini';

/** A new text raises this: then everybody is asked again. */
export const DISCLAIMER_VERSION = 1;
export const DISCLAIMER_SEEN = 'disclaimerSeen';

export const disclaimerStatusSchema = z.strictObject({
  version: z.number(),
  accepted: z.boolean(),
  acceptedAt: z.nullable(z.date()),
});

export type DisclaimerStatus = z.infer<typeof disclaimerStatusSchema>;
