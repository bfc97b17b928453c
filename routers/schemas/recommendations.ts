import * as z from 'zod/mini';
import { platformIdSchema } from './platforms/index.ts';
import { idSchema } from './primitives.ts';

/** What an upload is, in words that a person who builds nothing understands. */
export const UPLOAD_KINDS = ['plain', 'built', 'source', 'unknown'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

/** What a person says that their site needs; what is left out is not needed. */
export const needsSchema = z.strictObject({
  forms: z.optional(z.boolean()),
  functions: z.optional(z.boolean()),
  redirects: z.optional(z.boolean()),
  ownDomain: z.optional(z.boolean()),
  privateFiles: z.optional(z.boolean()),
});

/** Without an upload the needs alone are asked: for somebody who has no files yet. */
export const rankInput = z.optional(z.strictObject({ uploadId: z.optional(idSchema), needs: z.optional(needsSchema) }));

/** `no` keeps the platform from fitting, and then `change` says what would have to be otherwise. */
export const REASON_VERDICTS = ['good', 'note', 'no'] as const;
const reasonSchema = z.strictObject({
  verdict: z.enum(REASON_VERDICTS),
  text: z.string(),
  change: z.nullable(z.string()),
  /** Where the numbers were published, and when they were read there. */
  source: z.nullable(z.strictObject({ title: z.string(), readOn: z.string() })),
});
const rankedPlatformSchema = z.strictObject({
  platform: platformIdSchema,
  fits: z.boolean(),
  reasons: z.array(reasonSchema),
});
export const rankingSchema = z.strictObject({
  /** Null where there are no files. */
  kind: z.nullable(z.enum(UPLOAD_KINDS)),
  framework: z.nullable(z.string()),
  items: z.array(rankedPlatformSchema),
});

export type Needs = z.infer<typeof needsSchema>;
export type RankInput = z.infer<typeof rankInput>;
export type Reason = z.infer<typeof reasonSchema>;
export type RankedPlatform = z.infer<typeof rankedPlatformSchema>;
export type Ranking = z.infer<typeof rankingSchema>;
