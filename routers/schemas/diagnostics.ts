import * as z from 'zod/mini';
import { DOMAIN_TEXT_MAX, domainNameIn } from './domain-name.ts';
import { idSchema } from './primitives.ts';

/**
 * The checks of a report in the order of causes: a check comes after those that explain it, so that the first failed
 * one is the headline.
 */
export const CHECK_IDS = [
  'delegation',
  'dnssec',
  'dangling',
  'reserved-address',
  'resolves',
  'ownership',
  'ttl',
  'port-80',
  'ipv6',
  'proxied',
  'certificate',
  'url-up',
  'protocol',
  'redirects',
  'https-forced',
  'hsts',
  'www-and-apex',
  'mixed-content',
  'caa',
  'challenge-record',
  'ca-side',
  'reply-time',
  'email-untouched',
] as const;
/** The three checks that every plan has. */
export const BASIC_CHECKS = ['resolves', 'certificate', 'url-up'] as const;

export const checkIdSchema = z.enum(CHECK_IDS);
/**
 * `unknown`: it could not be decided from here, for instance because our own network fails; it is never shown as wrong
 * or as right.
 */
export const checkVerdictSchema = z.enum(['pass', 'warn', 'fail', 'unknown']);
export const reportStateSchema = z.enum(['running', 'done', 'failed']);

const diagnosedNameSchema = z.pipe(
  z.string().check(
    z.maxLength(DOMAIN_TEXT_MAX, 'This is too long to be a domain name'),
    z.refine((text) => domainNameIn(text) !== null, 'Type a domain name like example.com'),
  ),
  z.transform((text) => domainNameIn(text) ?? ''),
);

export const runDiagnosticsInput = z.union([
  z.strictObject({ name: diagnosedNameSchema }),
  z.strictObject({ deploymentId: idSchema }),
]);
export const getReportInput = z.strictObject({ reportId: idSchema });
export const listReportsInput = z.optional(
  z.strictObject({ deploymentId: z.optional(idSchema), name: z.optional(diagnosedNameSchema) }),
);
export const shareReportInput = z.strictObject({ reportId: idSchema });
/** 256 random bits in base64url. */
export const sharedReportInput = z.strictObject({
  token: z.string().check(z.regex(/^[\w-]{43}$/, 'This link is incomplete')),
});

/** The repairs that the app itself offers. */
export const repairSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('records'), domainId: idSchema }),
  z.strictObject({ kind: z.literal('certificate'), certificateId: idSchema }),
  z.strictObject({ kind: z.literal('release'), deploymentId: idSchema }),
]);

/** One question of a check: to whom, the answer, and the time it took. */
export const askedSchema = z.strictObject({
  question: z.string(),
  server: z.string(),
  answer: z.string(),
  tookMs: z.number(),
});

export const checkResultSchema = z.strictObject({
  id: checkIdSchema,
  verdict: checkVerdictSchema,
  seen: z.string(),
  why: z.string(),
  /** The remedy, when something is wrong. */
  fix: z.nullable(z.string()),
  /** The earliest failed check that explains this one; null when there is none, even if others failed. */
  because: z.nullable(checkIdSchema),
  repair: z.nullable(repairSchema),
  asked: z.array(askedSchema),
  tookMs: z.number(),
});

/** A fact that has changed since the previous report. */
export const reportChangeSchema = z.strictObject({
  what: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});

export const reportSchema = z.strictObject({
  id: idSchema,
  state: reportStateSchema,
  /** The host name of the report; that of the deployment's own address if it has no domain. */
  name: z.string(),
  /** The same with its own letters, where it has others than ASCII. */
  unicodeName: z.optional(z.string()),
  deploymentId: z.nullable(idSchema),
  /** The first failed check; null when none failed. */
  cause: z.nullable(checkIdSchema),
  checks: z.array(checkResultSchema),
  /** The number of checks in all. */
  checkCount: z.number(),
  /** True when the plan has all checks. */
  isWhole: z.boolean(),
  startedAt: z.date(),
  finishedAt: z.nullable(z.date()),
  /** The changes since the previous report of the same subject; `since` is its time. */
  changes: z.array(reportChangeSchema),
  since: z.nullable(z.date()),
  /** The end of the shared link. */
  sharedUntil: z.nullable(z.date()),
});
export const startedReportSchema = z.strictObject({ reportId: idSchema });
export const reportListSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      ...z.pick(reportSchema, {
        ...{ id: true, state: true, name: true, unicodeName: true, deploymentId: true, cause: true },
        ...{ startedAt: true, finishedAt: true },
      }).shape,
      /** The verdict on the whole (rules/report-verdict.ts); null while it runs. */
      verdict: z.nullable(checkVerdictSchema),
    }),
  ),
});
export const sharedLinkSchema = z.strictObject({ url: z.string(), expiresAt: z.date() });
/** A shared report for strangers: without ids and without its owner's actions. */
export const sharedReportSchema = z.strictObject({
  ...z.omit(reportSchema, { id: true, deploymentId: true, checks: true }).shape,
  checks: z.array(z.omit(checkResultSchema, { repair: true })),
});

/** The limit equals the length of a list on a screen. */
export const healthInput = z.strictObject({ deploymentIds: z.array(idSchema).check(z.maxLength(50)) });
export const checkHealthInput = z.strictObject({ deploymentId: idSchema });
export const deploymentHealthSchema = z.strictObject({
  deploymentId: idSchema,
  /** The applicable ones of the three checks; empty before the first. */
  checks: z.array(z.strictObject({ id: z.enum(BASIC_CHECKS), verdict: checkVerdictSchema, seen: z.string() })),
  checkedAt: z.nullable(z.date()),
  nextCheckAt: z.date(),
});
export const healthListSchema = z.strictObject({ items: z.array(deploymentHealthSchema) });

export type DeploymentHealth = z.infer<typeof deploymentHealthSchema>;
export type HealthList = z.infer<typeof healthListSchema>;
export type CheckId = z.infer<typeof checkIdSchema>;
export type CheckVerdict = z.infer<typeof checkVerdictSchema>;
export type Repair = z.infer<typeof repairSchema>;
export type Asked = z.infer<typeof askedSchema>;
export type CheckResult = z.infer<typeof checkResultSchema>;
export type ReportChange = z.infer<typeof reportChangeSchema>;
export type Report = z.infer<typeof reportSchema>;
export type ReportList = z.infer<typeof reportListSchema>;
export type SharedLink = z.infer<typeof sharedLinkSchema>;
export type SharedReport = z.infer<typeof sharedReportSchema>;
export type RunDiagnosticsInput = z.infer<typeof runDiagnosticsInput>;
export type GetReportInput = z.infer<typeof getReportInput>;
export type ListReportsInput = z.infer<typeof listReportsInput>;
