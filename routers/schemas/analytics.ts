import * as z from 'zod/mini';
import { ANALYTICS_RANGE_DAYS } from './limits.ts';
import { platformIdSchema } from './platforms/index.ts';
import { idSchema } from './primitives.ts';

/** A name of the IANA time zone database, such as `Europe/Berlin`. */
const timeZoneSchema = z
  .string()
  .check(
    z.maxLength(64, 'This is not a time zone'),
    z.regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 'This is not a time zone'),
    z.refine(isTimeZone, 'This time zone is not known'),
  );

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

const rangeSchema = z.literal(ANALYTICS_RANGE_DAYS);
/** Without a deployment the range covers all of the account's. */
const range = { deploymentId: z.optional(idSchema), days: rangeSchema };
const zonedRange = { ...range, timeZone: timeZoneSchema };

export const visitsInput = z.strictObject(zonedRange);
export const releaseStatisticsInput = z.strictObject(range);
const CSV_TABLES = ['visits', 'pages', 'referrers'] as const;
export const downloadVisitsInput = z.strictObject({ ...zonedRange, table: z.enum(CSV_TABLES) });

const counts = {
  /** Pages that people opened. */
  views: z.number(),
  visitors: z.number(),
  /** All requests, including those of programs. */
  requests: z.number(),
  /** Requests of programs. */
  bots: z.number(),
  bytes: z.number(),
};

export const visitsSchema = z.strictObject({
  /** The days for which the plan keeps counts; null when it keeps none. A longer range is cut to it. */
  keptDays: z.nullable(z.number()),
  step: z.enum(['hour', 'day']),
  totals: z.strictObject(counts),
  /** One for each hour or day of the range, the oldest first; `label` is its time or date in the time zone. */
  points: z.array(z.strictObject({ label: z.string(), ...counts })),
  /** The most frequent come first; the views of all others follow as a number. */
  pages: z.array(z.strictObject({ path: z.string(), views: z.number() })),
  otherPages: z.number(),
  referrers: z.array(z.strictObject({ host: z.string(), views: z.number() })),
  otherReferrers: z.number(),
  statuses: z.array(z.strictObject({ status: z.number(), requests: z.number() })),
  /** The milliseconds within which that share of the answers was given; null when there was none. */
  replyTimes: z.nullable(z.strictObject({ p50: z.number(), p75: z.number(), p95: z.number(), p99: z.number() })),
});

export const releaseStatisticsSchema = z.strictObject({
  platforms: z.array(
    z.strictObject({
      platform: platformIdSchema,
      releases: z.number(),
      live: z.number(),
      failed: z.number(),
      cancelled: z.number(),
      running: z.number(),
      /** Measured from the start of the work until the release was seen live, for those that went live. */
      medianMs: z.nullable(z.number()),
      p95Ms: z.nullable(z.number()),
      medianBytes: z.number(),
      largestBytes: z.number(),
    }),
  ),
  /** True when there are more, and only the newest were read. */
  isCut: z.boolean(),
});

/** A link that streams a table as CSV to anybody who opens it, for a minute. */
export const visitsDownloadSchema = z.strictObject({ url: z.string(), fileName: z.string(), expiresAt: z.date() });

export type RangeDays = z.infer<typeof rangeSchema>;
export type VisitsInput = z.infer<typeof visitsInput>;
export type Visits = z.infer<typeof visitsSchema>;
export type VisitPoint = Visits['points'][number];
export type ReleaseStatisticsInput = z.infer<typeof releaseStatisticsInput>;
export type ReleaseStatistics = z.infer<typeof releaseStatisticsSchema>;
export type DownloadVisitsInput = z.infer<typeof downloadVisitsInput>;
export type VisitsDownload = z.infer<typeof visitsDownloadSchema>;
export type CsvTable = DownloadVisitsInput['table'];
