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

/** A platform on which a deployment is published; its `primaryId` names the primary one. */
export const destinationSchema = z.strictObject({
  id: idSchema,
  platform: platformIdSchema,
  /** The address there for visitors; empty until the platform has named one. */
  url: z.string(),
  state: destinationStateSchema,
  /** The reason why the last attempt failed there; an earlier release may still be live. */
  error: z.nullable(shownErrorSchema),
  /** A release that failed or still runs may have made a site there, which has no address yet; lists leave this out. */
  mayHaveSite: z.exactOptional(z.literal(true)),
  /** The app or repository that the person named there, which stays when the site is deleted. */
  named: z.exactOptional(z.strictObject({ what: z.string(), name: z.string() })),
});

/** The destination of one release. */
export const releaseDestinationSchema = z.extend(destinationSchema, {
  /**
   * Paths of style sheets, scripts and pictures of the entry page that visitors do not get there; one may be followed
   * by its right name, as in “/logo.png is called Logo.png”. See `MISSING_LINKS_MAX`.
   */
  missingLinks: z.array(z.string()),
});

export type ShownError = z.infer<typeof shownErrorSchema>;
export type Destination = z.infer<typeof destinationSchema>;
export type ReleaseDestination = z.infer<typeof releaseDestinationSchema>;
