import { headersSteps } from '../../../routers/rules/hosting/headers-file.ts';
import {
  createRedirectTable,
  hostsLedTo,
  type RedirectTable,
  redirectsSteps,
} from '../../../routers/rules/hosting/redirects-file.ts';
import type { RuleFile, RuleProblem } from '../../../routers/rules/hosting/rule-file.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import type { Manifest } from '../../store/manifest.ts';
import { readRuleFiles } from '../../store/rule-files.ts';
import type { ArtifactStore } from '../../store/store.ts';
import type { ReleaseWork } from './release-work.ts';

/** Returns where the addresses of a release lead by its own rules: verification expects no file there. */
export async function readRedirects(store: ArtifactStore, manifest: Manifest): Promise<RedirectTable> {
  const text = (await readRuleFiles(store, manifest)).get('_redirects') ?? '';
  return createRedirectTable((await runInTimeSlices(redirectsSteps(text))).rules);
}

/** A file of thousands of wrong lines has one mistake, made often. */
const PROBLEMS_TOLD = 20;

/**
 * Returns the lines of a release's log about its `_redirects` and `_headers`: which rules are followed, which are not,
 * and why.
 */
export async function reportRules(
  { platform, title }: Pick<ReleaseWork, 'platform' | 'title'>,
  store: ArtifactStore,
  manifest: Manifest,
): Promise<string[]> {
  const { redirects, ownRules } = platform.capabilities.serving;
  const texts = await readRuleFiles(store, manifest);
  if (!redirects) return [...texts.keys()].map((file) => `${title} follows none of the rules in ${file}`);
  if (ownRules) return [...texts.keys()].map((file) => `${title} itself applies the rules in ${file}`);
  const reports = [...texts].map(([file, text]) =>
    file === '_redirects' ? reportRedirects(text) : reportHeaders(text),
  );
  return (await Promise.all(reports)).flat();
}

async function reportRedirects(text: string): Promise<string[]> {
  const { rules, problems } = await runInTimeSlices(redirectsSteps(text));
  const hosts = hostsLedTo(rules);
  const led = hosts.length === 0 ? [] : [`_redirects sends visitors to ${hosts.slice(0, PROBLEMS_TOLD).join(', ')}`];
  return [counted('_redirects', rules.length), ...led, ...problemLines('_redirects', problems)];
}

async function reportHeaders(text: string): Promise<string[]> {
  const { rules, problems } = await runInTimeSlices(headersSteps(text));
  return [counted('_headers', rules.length), ...problemLines('_headers', problems)];
}

function counted(file: RuleFile, count: number): string {
  return `${file}: ${formatCount(count, 'rule is', 'rules are')} followed`;
}

function problemLines(file: RuleFile, problems: readonly RuleProblem[]): string[] {
  const lines = problems.slice(0, PROBLEMS_TOLD).map(({ line, message }) => `${file}, line ${line}: ${message}`);
  const rest = problems.length - lines.length;
  return rest > 0 ? [...lines, `${file}: ${formatCount(rest, 'more line is', 'more lines are')} not followed`] : lines;
}
