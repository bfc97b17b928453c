import { reportVerdict } from '../../routers/rules/report-verdict.ts';
import type {
  CheckResult,
  GetReportInput,
  ListReportsInput,
  Report,
  ReportChange,
  ReportList,
  SharedReport,
} from '../../routers/schemas/diagnostics.ts';
import type { AccountContext, ServiceContext } from '../context.ts';
import { type DiagnosticDoc, DiagnosticModel, type DiagnosticRow } from '../database/models/diagnostic.ts';
import { unicodeNameOf } from '../domains/read.ts';
import { hashToken } from '../lib/crypto/token-hash.ts';
import { notFound } from '../lib/errors.ts';

/** Equals the number that an account keeps. */
export const REPORTS_MAX = 50;

/** Returns a report with its checks so far. Throws `not_found`. */
export async function getReport(ctx: AccountContext, { reportId }: GetReportInput): Promise<Report> {
  return toReport(await findReport(ctx, reportId), ctx.now());
}

/** Returns the account's own document. Throws `not_found`. */
export async function findReport(ctx: AccountContext, reportId: string): Promise<DiagnosticDoc> {
  const doc = await DiagnosticModel.findOne({ _id: reportId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('report');
  return doc;
}

/** Returns the account's reports, newest first; on request those of one deployment, or of one name. */
export async function listReports(ctx: AccountContext, input: ListReportsInput): Promise<ReportList> {
  const { accountId } = ctx.actor;
  const filter = {
    accountId,
    ...(input?.deploymentId !== undefined && { deploymentId: input.deploymentId }),
    ...(input?.name !== undefined && { name: input.name }),
  };
  const docs = await DiagnosticModel.find(filter, { facts: 0, changes: 0, 'checks.asked': 0 })
    .sort({ startedAt: -1, _id: -1 })
    .hint('account_newest')
    .limit(REPORTS_MAX)
    .lean();
  return {
    items: docs.map((doc) => {
      const { _id: id, state, name, deploymentId, cause, startedAt, finishedAt } = doc;
      return {
        ...{
          id,
          state,
          name,
          ...unicodeNameOf(name),
          startedAt,
          verdict: state === 'done' ? reportVerdict(storedChecks(doc)) : null,
        },
        ...{ deploymentId: deploymentId ?? null, cause: cause ?? null, finishedAt: finishedAt ?? null },
      };
    }),
  };
}

/**
 * Returns the report of a shared link, without its owner's private fields. Throws `not_found` once the link has
 * expired.
 */
export async function readSharedReport(ctx: ServiceContext, { token }: { token: string }): Promise<SharedReport> {
  const doc = await DiagnosticModel.findOne({ shareHash: hashToken(token), sharedUntil: { $gt: ctx.now() } })
    .setOptions({ acrossAccounts: 'shared-link' })
    .hint('share_hash_unique')
    .lean<DiagnosticRow>();
  if (doc === null) throw notFound('report');
  const { id: _id, deploymentId: _deploymentId, checks, ...shown } = toReport(doc, ctx.now());
  return { ...shown, checks: checks.map(({ repair: _repair, ...check }) => check) };
}

function toReport(doc: DiagnosticRow, now: Date): Report {
  const { _id: id, state, name, isWhole, checkCount, startedAt } = doc;
  const sharedUntil = doc.sharedUntil instanceof Date && doc.sharedUntil > now ? doc.sharedUntil : null;
  return {
    ...{ id, state, name, ...unicodeNameOf(name), isWhole, checkCount, startedAt, sharedUntil },
    deploymentId: doc.deploymentId ?? null,
    cause: doc.cause ?? null,
    checks: storedChecks(doc),
    finishedAt: doc.finishedAt ?? null,
    changes: storedChanges(doc),
    since: doc.since ?? null,
  };
}

/** The schema leaves the field free; only `saveStep` (run.ts) writes it. */
function storedChecks({ checks }: Pick<DiagnosticRow, 'checks'>): CheckResult[] {
  return checks as CheckResult[];
}

/** The schema leaves the field free; only `finishReport` (run.ts) writes it. */
function storedChanges({ changes }: DiagnosticRow): ReportChange[] {
  return changes as ReportChange[];
}
