import * as z from 'zod/mini';
import { DOMAIN_TEXT_MAX, domainNameIn } from './domain-name.ts';
import { idSchema } from './primitives.ts';

/**
 * The checks of a report in the order of causes: what explains another one stands before it, so that the first that fails
 * is the headline.
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
/** The three that every plan has. */
export const BASIC_CHECKS = ['resolves', 'certificate', 'url-up'] as const;

export const checkIdSchema = z.enum(CHECK_IDS);
/** `unknown`: it could not be told from here, as when our own network fails; never shown as wrong, and never as right. */
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
export const listReportsInput = z.optional(z.strictObject({ deploymentId: z.optional(idSchema) }));
export const shareReportInput = z.strictObject({ reportId: idSchema });
/** 256 random bits in base64url. */
export const sharedReportInput = z.strictObject({
  token: z.string().check(z.regex(/^[\w-]{43}$/, 'This link is cut')),
});

/** What the app itself can do about it. */
export const repairSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('records'), domainId: idSchema }),
  z.strictObject({ kind: z.literal('certificate'), certificateId: idSchema }),
  z.strictObject({ kind: z.literal('release'), deploymentId: idSchema }),
]);

/** One question that a check has put: to whom, what came back, and how long it took. */
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
  /** What to do, where something is wrong. */
  fix: z.nullable(z.string()),
  /** The earliest broken link that explains this one; null where none does, though others are broken. */
  because: z.nullable(checkIdSchema),
  repair: z.nullable(repairSchema),
  asked: z.array(askedSchema),
  tookMs: z.number(),
});

/** A fact that was seen now and is another one than in the report before. */
export const reportChangeSchema = z.strictObject({
  what: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});

export const reportSchema = z.strictObject({
  id: idSchema,
  state: reportStateSchema,
  /** The host name that was looked at; that of the deployment's own address where it has no domain. */
  name: z.string(),
  deploymentId: z.nullable(idSchema),
  /** The first broken link; null where nothing fails. */
  cause: z.nullable(checkIdSchema),
  checks: z.array(checkResultSchema),
  /** How many checks are run in all. */
  checkCount: z.number(),
  /** Whether the plan has all checks. */
  isWhole: z.boolean(),
  startedAt: z.date(),
  finishedAt: z.nullable(z.date()),
  /** What is another than in the last report of the same; `since` is when that was made. */
  changes: z.array(reportChangeSchema),
  since: z.nullable(z.date()),
  /** Until when a link shows it to whoever has the link. */
  sharedUntil: z.nullable(z.date()),
});
export const startedReportSchema = z.strictObject({ reportId: idSchema });
export const reportListSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      ...z.pick(reportSchema, {
        ...{ id: true, state: true, name: true, deploymentId: true, cause: true, startedAt: true, finishedAt: true },
      }).shape,
      /** Of its checks the one that is worst off; null while it is not done. */
      verdict: z.nullable(checkVerdictSchema),
    }),
  ),
});
export const sharedLinkSchema = z.strictObject({ url: z.string(), expiresAt: z.date() });
/** What a stranger with the link sees: the report without ids and without what its owner can do. */
export const sharedReportSchema = z.strictObject({
  ...z.omit(reportSchema, { id: true, deploymentId: true, checks: true }).shape,
  checks: z.array(z.omit(checkResultSchema, { repair: true })),
});

/** As many as one screen lists. */
export const healthInput = z.strictObject({ deploymentIds: z.array(idSchema).check(z.maxLength(50)) });
export const checkHealthInput = z.strictObject({ deploymentId: idSchema });
export const deploymentHealthSchema = z.strictObject({
  deploymentId: idSchema,
  /** Those of the three that have a meaning for it; none before the first look. */
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
