import * as z from 'zod/mini';
import { idSchema } from '../primitives.ts';
import { destinationStateSchema } from '../states.ts';
import { platformIdSchema } from './index.ts';

/** An error in words for a person; `raw` is the platform's whole answer. */
export const shownErrorSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.nullable(z.string()),
  raw: z.nullable(z.string()),
});

/** One platform on which a deployment is published; the first of them is the primary one. */
export const destinationSchema = z.strictObject({
  id: idSchema,
  platform: platformIdSchema,
  /** The address there for visitors; empty until the platform named one. */
  url: z.string(),
  state: destinationStateSchema,
  /** Why the last attempt failed there; what was live before may be live all the same. */
  error: z.nullable(shownErrorSchema),
});

/** The same for one release. */
export const releaseDestinationSchema = z.extend(destinationSchema, {
  /** Style sheets, scripts and pictures that the entry page names there and visitors do not get; see `MISSING_LINKS_MAX`. */
  missingLinks: z.array(z.string()),
});

export type ShownError = z.infer<typeof shownErrorSchema>;
export type Destination = z.infer<typeof destinationSchema>;
export type ReleaseDestination = z.infer<typeof releaseDestinationSchema>;
