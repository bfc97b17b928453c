import type { ClientSession } from 'mongoose';
import type { CheckId, ReportChange } from '../../routers/schemas/diagnostics.ts';
import { withAskingSlots } from '../account/asking-slots.ts';
import type { AccountContext } from '../context.ts';
import { type DiagnosticDoc, DiagnosticModel } from '../database/models/diagnostic.ts';
import { DnsChangeModel } from '../database/models/domains/dns-change.ts';
import { publishEvent } from '../events/publish.ts';
import type { Facts } from './checks/check.ts';
import { checksFor } from './checks/index.ts';
import { runChecks, type Step } from './checks/run.ts';
import { type Diagnosed, findSubject } from './subject.ts';
import { createTools } from './tools.ts';

/** A person waits no longer; a check that is not done by then is not judged. */
const REPORT_MS = 60_000;
/** The time for the three checks alone, which a button on the dashboard starts. */
const BASIC_MS = 20_000;

type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Fills a report check by check, and compares it with the previous one of the same subject. After a crash it begins
 * anew. Throws `rate_limited` while the account, or everybody together, asks for too much.
 */
export async function fillReport(
  ctx: AccountContext,
  reportId: string,
  { signal, inTransaction }: { signal: AbortSignal; inTransaction: InTransaction },
): Promise<void> {
  const { accountId } = ctx.actor;
  const doc = await DiagnosticModel.findOne({ _id: reportId, accountId, state: 'running' });
  if (doc === null) return;
  const diagnosed = await findSubject(ctx, { name: doc.name, deploymentId: doc.deploymentId ?? null });
  if (diagnosed === null) return inTransaction((session) => endReport(session, doc));
  const before = await reportBefore(doc);
  const { subject } = diagnosed;
  const checks = checksFor(subject, doc);
  const start = { name: subject.name, checks: [], checkCount: checks.length, cause: null };
  await DiagnosticModel.updateOne({ _id: reportId, accountId }, { $set: start });
  const facts: Record<string, readonly string[]> = {};
  let cause: CheckId | null = null;
  const onStep = async ({ result, facts: found }: Step): Promise<void> => {
    Object.assign(facts, found);
    if (result.verdict === 'fail') cause ??= result.id;
    await inTransaction((session) => saveStep(session, doc, { result, cause }));
  };
  await withAskingSlots(ctx, { whom: 'name servers', one: `a report for ${accountId}` }, () =>
    runChecksOf(ctx, { diagnosed, before, isWhole: doc.isWhole }, { signal, onStep }),
  );
  await inTransaction((session) => finishReport(session, ctx, doc, { facts, before, cause }));
}

type Before = Pick<DiagnosticDoc, 'facts' | 'startedAt'> | null;
type RunRequest = { diagnosed: Diagnosed; before: Before; isWhole: boolean };

/** Runs the checks of a subject, and passes each on when it is done. */
export async function runChecksOf(
  ctx: AccountContext,
  { diagnosed, before, isWhole }: RunRequest,
  { signal, onStep }: { signal: AbortSignal; onStep(step: Step): Promise<void> },
): Promise<void> {
  const { subject } = diagnosed;
  const within = AbortSignal.any([signal, AbortSignal.timeout(isWhole ? REPORT_MS : BASIC_MS)]);
  const mailBefore = await readMailBefore(ctx, diagnosed, before);
  const work = async (lookups: Parameters<Parameters<typeof ctx.providers.dns.withLookups>[1]>[0]): Promise<void> => {
    const tools = createTools({ ctx, diagnosed, lookups, mailBefore, signal: within });
    try {
      for await (const step of runChecks(checksFor(subject, { isWhole }), subject, tools.toolsFor)) await onStep(step);
    } finally {
      await tools.end();
    }
  };
  await ctx.providers.dns.withLookups(signal, work, isWhole ? 'report' : 'check');
}

async function saveStep(
  session: ClientSession,
  { _id, accountId }: DiagnosticDoc,
  { result, cause }: Pick<Step, 'result'> & { cause: CheckId | null },
): Promise<void> {
  await DiagnosticModel.updateOne({ _id, accountId }, { $push: { checks: result }, $set: { cause } }, { session });
}

async function finishReport(
  session: ClientSession,
  { now }: AccountContext,
  doc: DiagnosticDoc,
  { facts, before, cause }: { facts: Facts; before: Before; cause: CheckId | null },
): Promise<void> {
  const { _id, accountId, deploymentId } = doc;
  const ended = {
    ...{ state: 'done' as const, cause, finishedAt: now() },
    facts: Object.entries(facts).map(([what, values]) => ({ what, values })),
    changes: before === null ? [] : changesBetween(storedFacts(before), facts),
    since: before?.startedAt ?? null,
  };
  await DiagnosticModel.updateOne({ _id, accountId }, { $set: ended }, { session });
  await publishEvent(session, accountId, { type: 'analytics_update', ...(deploymentId && { deploymentId }) });
}

/** Ends a report that could not be made: its subject is gone, or its work failed for good. */
export async function endReport(
  session: ClientSession,
  { _id, accountId }: Pick<DiagnosticDoc, '_id' | 'accountId'>,
): Promise<void> {
  await DiagnosticModel.updateOne({ _id, accountId, state: 'running' }, { $set: { state: 'failed' } }, { session });
}

/**
 * Returns the values that appeared, disappeared or changed; those that only one of the two reports has checked do not
 * count.
 */
export function changesBetween(before: Facts, now: Facts): ReportChange[] {
  return Object.entries(now).flatMap(([what, after]) => {
    const had = before[what];
    if (had === undefined || had.join('\n') === after.join('\n')) return [];
    return [{ what, before: [...had], after: [...after] }];
  });
}

async function reportBefore({ _id, accountId, subjectKey }: DiagnosticDoc): Promise<Before> {
  return DiagnosticModel.findOne(
    { accountId, subjectKey, state: 'done', _id: { $ne: _id } },
    { facts: 1, startedAt: 1 },
  )
    .sort({ startedAt: -1 })
    .hint('account_subject')
    .lean<DiagnosticDoc>();
}

async function readMailBefore({ actor: { accountId } }: AccountContext, { subject }: Diagnosed, before: Before) {
  if (before === null) return null;
  const mail = Object.entries(storedFacts(before)).filter(([what]) => /^(MX|SPF|DMARC) /.test(what));
  if (mail.length === 0) return null;
  const domainId = subject.own?.domainId ?? '';
  const written = { accountId, domainId, state: 'applied' as const, updatedAt: { $gt: before.startedAt } };
  return { facts: Object.fromEntries(mail), isWrittenSince: (await DnsChangeModel.exists(written)) !== null };
}

/** The schema leaves the field free; only `finishReport` writes it. */
function storedFacts({ facts }: NonNullable<Before>): Facts {
  return Object.fromEntries((facts as { what: string; values: string[] }[]).map(({ what, values }) => [what, values]));
}
