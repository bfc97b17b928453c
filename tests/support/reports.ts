import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Says how many tests of a suite passed and failed, and which. */
export type Counts = {
  passed: number;
  failed: number;
  /** The file and name of each test that failed, with the first line of why. */
  failures: string[];
  /** The same of each test that failed once, and passed when it was tried again. */
  flaky: string[];
  files: { path: string; seconds: number }[];
};
export const NOTHING: Counts = { passed: 0, failed: 0, failures: [], flaky: [], files: [] };

/** Returns the shapes of the two runners' reports, as far as they are read. */
export function readReport(path: string): Record<string, unknown> {
  const parsed: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  return isRecord(parsed) ? parsed : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function recordsOf(record: Record<string, unknown>, key: string): Record<string, unknown>[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function numberOf(record: Record<string, unknown>, key: string): number {
  const value = record[key];
  return typeof value === 'number' ? value : 0;
}

export function countVitest(report: Record<string, unknown>): Counts {
  const skipped = numberOf(report, 'numPendingTests') + numberOf(report, 'numTodoTests');
  if (skipped > 0) console.log(`${skipped} tests were skipped: each counts as failed.`);
  const files = recordsOf(report, 'testResults');
  const broken = files.flatMap(fileFailure);
  return {
    passed: numberOf(report, 'numPassedTests'),
    failed: numberOf(report, 'numFailedTests') + skipped + broken.length,
    failures: [...files.flatMap(vitestFailures), ...broken],
    flaky: [],
    files: files.map((file) => ({
      path: relative('.', String(file.name)),
      seconds: (numberOf(file, 'endTime') - numberOf(file, 'startTime')) / 1000,
    })),
  };
}

function vitestFailures(file: Record<string, unknown>): string[] {
  const tests = recordsOf(file, 'assertionResults').filter((test) => test.status !== 'passed');
  return tests.map((test) => failure(file.name, test.fullName, [test.failureMessages].flat()[0] ?? file.message));
}

/** A file fails beside its tests when it was not loaded, or when its queries were badly planned, as its end shows. */
function fileFailure(file: Record<string, unknown>): string[] {
  const states = recordsOf(file, 'assertionResults').map(({ status }) => status);
  if (file.status !== 'failed' || states.includes('skipped') || (states.includes('failed') && !file.message)) return [];
  return [failure(file.name, states.length === 0 ? 'was not loaded' : 'failed at its end', file.message)];
}

export function countPlaywright(report: Record<string, unknown>): Counts {
  const { stats } = report;
  if (!isRecord(stats)) return NOTHING;
  const specs = playwrightSpecs(report);
  specs.forEach(showPages);
  const files = new Map<string, number>();
  for (const { file, results } of specs) {
    const ms = results.reduce((sum, result) => sum + numberOf(result, 'duration'), files.get(file) ?? 0);
    files.set(file, ms);
  }
  return {
    passed: numberOf(stats, 'expected') + numberOf(stats, 'flaky'),
    failed: numberOf(stats, 'unexpected') + numberOf(stats, 'skipped'),
    failures: specs.filter(({ status }) => status !== 'expected' && status !== 'flaky').map(specFailure),
    flaky: specs.filter(({ status }) => status === 'flaky').map(specFailure),
    files: [...files].map(([file, ms]) => ({ path: `tests/${file}`, seconds: ms / 1000 })),
  };
}

type Spec = { file: string; title: string; status: unknown; results: Record<string, unknown>[] };

/** Playwright's report holds suites in suites, and in them specs with a result for each try. */
function playwrightSpecs(suite: Record<string, unknown>): Spec[] {
  const own = recordsOf(suite, 'specs').flatMap((spec) =>
    recordsOf(spec, 'tests').map((test) => ({
      file: String(spec.file),
      title: String(spec.title),
      status: test.status,
      results: recordsOf(test, 'results'),
    })),
  );
  return [...own, ...recordsOf(suite, 'suites').flatMap(playwrightSpecs)];
}

/** Prints the page as a failed try left it: of a race that is met once it is all there is to go by. */
function showPages({ title, results }: Spec): void {
  const attached = results.flatMap((result) => recordsOf(result, 'attachments'));
  for (const { name, path } of attached) {
    if (name === 'error-context')
      console.log(`The page at the end of "${title}":\n${readFileSync(String(path), 'utf8')}`);
  }
}

/** One that ran out of time says so first, and then what it was waiting for. */
function specFailure({ file, title, results }: Spec): string {
  const errors = results.flatMap((result) => recordsOf(result, 'errors'));
  return failure(`tests/${file}`, title, errors.map(({ message }) => reasonOf(message)).join(' '));
}

function failure(file: unknown, name: unknown, message: unknown): string {
  return `${relative('.', String(file))}: ${name}: ${reasonOf(message)}`;
}

/** Returns the first line of an error, and what a browser test was waiting for. */
function reasonOf(message: unknown): string {
  const lines = stripVTControlCharacters(String(message ?? '')).split('\n');
  const awaited = lines.find((line) => /^\s*- waiting for/.test(line)) ?? '';
  return `${lines[0]} ${awaited.trim()}`.trim();
}
