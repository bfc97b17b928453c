import * as z from 'zod/mini';
import { FEEDBACK_COMMENT_MAX, FEEDBACK_MAIN_APP, FEEDBACK_STARS } from './limits.ts';
import { idSchema, withoutControlCharacters } from './primitives.ts';

/** The dialog, which carries no zod, shows this as well. */
export const RATING_WANTED = 'Please select a rating';

export const rateInput = z.strictObject({
  rating: z.int(RATING_WANTED).check(z.minimum(1, RATING_WANTED), z.maximum(FEEDBACK_STARS, RATING_WANTED)),
  comment: z.optional(
    z
      .string()
      .check(
        z.trim(),
        z.maxLength(FEEDBACK_COMMENT_MAX, 'The comment is too long'),
        withoutControlCharacters('The comment cannot contain control characters'),
      ),
  ),
  deploymentId: z.optional(z.union([z.literal(FEEDBACK_MAIN_APP), idSchema])),
});

export type RateInput = z.infer<typeof rateInput>;
