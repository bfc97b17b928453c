import * as z from 'zod/mini';
import { platformIdSchema } from './platforms/index.ts';
import { idSchema } from './primitives.ts';

/** The kinds of uploads, in words for a person who builds nothing. */
export const UPLOAD_KINDS = ['plain', 'built', 'source', 'unknown'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

/** The needs that a person states for their site; a missing one is not needed. */
export const needsSchema = z.strictObject({
  forms: z.optional(z.boolean()),
  functions: z.optional(z.boolean()),
  redirects: z.optional(z.boolean()),
  ownDomain: z.optional(z.boolean()),
  privateFiles: z.optional(z.boolean()),
});

/** Without an upload only the needs count: for a person who has no files yet. */
export const rankInput = z.optional(z.strictObject({ uploadId: z.optional(idSchema), needs: z.optional(needsSchema) }));

/** `no` means that the platform does not fit, and then `change` says what would have to change. */
export const REASON_VERDICTS = ['good', 'note', 'no'] as const;
const reasonSchema = z.strictObject({
  verdict: z.enum(REASON_VERDICTS),
  text: z.string(),
  change: z.nullable(z.string()),
  /** The source of the numbers, and the date it was read. */
  source: z.nullable(z.strictObject({ title: z.string(), readOn: z.string() })),
});
const rankedPlatformSchema = z.strictObject({
  platform: platformIdSchema,
  fits: z.boolean(),
  reasons: z.array(reasonSchema),
});
export const rankingSchema = z.strictObject({
  /** Null when there are no files. */
  kind: z.nullable(z.enum(UPLOAD_KINDS)),
  framework: z.nullable(z.string()),
  items: z.array(rankedPlatformSchema),
});

export type Needs = z.infer<typeof needsSchema>;
export type RankInput = z.infer<typeof rankInput>;
export type Reason = z.infer<typeof reasonSchema>;
export type RankedPlatform = z.infer<typeof rankedPlatformSchema>;
export type Ranking = z.infer<typeof rankingSchema>;
