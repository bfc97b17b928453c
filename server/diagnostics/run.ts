import type { Asked, CheckId, CheckResult } from '../../routers/schemas/diagnostics.ts';
import { DnsLookupError } from '../dns/dns-client.ts';
import { causeOf } from './causes.ts';
import { type Check, type Facts, type Finding, type Subject, type Tools, unknown } from './check.ts';

export type Step = { result: CheckResult; facts: Facts };

/** What a report keeps of a text that a stranger chose. */
const SEEN_MAX = 600;
const FACTS_MAX = 16;
const FACT_MAX = 300;

/**
 * Runs the checks one after the other and yields each as it is done. One that fails names the earliest that failed before
 * it and explains it (causes.ts). A lookup that nobody answers is unknown. `toolsFor` brings the tools that note in the
 * list what is asked.
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
    // Of a name that cannot be found, every record is missing: no fault is seen, and nothing is right either.
    const isGroundless = said.verdict === 'pass' && failed.includes('delegation');
    const found = isGroundless ? unknown('This cannot be told while no name server answers for the name.') : said;
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
    return { verdict: 'unknown', seen: `${error.message} It could not be told from here.` };
  }
}

/** Records are what strangers publish: a report keeps a few of each, cut to a length. */
function bounded(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([what, values]) => [
      what,
      values.slice(0, FACTS_MAX).map((value) => value.slice(0, FACT_MAX)),
    ]),
  );
}
