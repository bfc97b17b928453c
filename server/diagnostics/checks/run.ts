import type { Asked, CheckId, CheckResult } from '../../../routers/schemas/diagnostics.ts';
import { DnsLookupError } from '../../dns/dns-client.ts';
import { causeOf } from './causes.ts';
import { type Check, type Facts, type Finding, type Subject, type Tools, unknown } from './check.ts';

export type Step = { result: CheckResult; facts: Facts };

/** The limits of texts by strangers in a report. */
const SEEN_MAX = 600;
const FACTS_MAX = 16;
const FACT_MAX = 300;

/**
 * Runs the checks in turn and yields each when it is done. A failed one names the earliest failed check that explains
 * it (causes.ts). A lookup without an answer is unknown. `toolsFor` returns tools that record each question in the
 * list.
 */
export async function* runChecks(
  checks: readonly Check[],
  subject: Subject,
  toolsFor: (asked: Asked[]) => Tools,
): AsyncGenerator<Step, void> {
  const failed: CheckId[] = [];
  for (const check of checks) {
    const asked: Asked[] = [];
    const begun = performance.now();
    const said = await findingOf(check, subject, toolsFor(asked));
    // When a name cannot be found, every record is missing: nothing is wrong, and nothing is right either.
    const isGroundless = said.verdict === 'pass' && failed.includes('delegation');
    const found = isGroundless ? unknown('This cannot be checked while no name server answers for the name.') : said;
    const { verdict, fix, repair, facts = {} } = found;
    const isFailed = verdict === 'fail';
    const isWrong = isFailed || verdict === 'warn';
    yield {
      result: {
        ...{ id: check.id, verdict, why: check.why, asked },
        seen: found.seen.slice(0, SEEN_MAX),
        fix: isWrong ? (fix?.slice(0, SEEN_MAX) ?? null) : null,
        because: isFailed ? causeOf(check.id, failed) : null,
        repair: isWrong ? (repair ?? null) : null,
        tookMs: Math.round(performance.now() - begun),
      },
      facts: bounded(facts),
    };
    if (isFailed) failed.push(check.id);
  }
}

async function findingOf(check: Check, subject: Subject, tools: Tools): Promise<Finding> {
  try {
    return await check.run(subject, tools);
  } catch (error) {
    if (!(error instanceof DnsLookupError)) throw error;
    return { verdict: 'unknown', seen: `${error.message} This could not be checked from here.` };
  }
}

/** Strangers choose the records, so a report keeps a few of each, shortened. */
function bounded(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([what, values]) => [
      what,
      values.slice(0, FACTS_MAX).map((value) => value.slice(0, FACT_MAX)),
    ]),
  );
}
