import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { bundlePrograms } from './bundle-programs.ts';
import { findChromium } from './chromium.ts';
import { UNHANDLED } from './unhandled-errors.ts';

/**
 * `npm test`, `npm run faults` and `npm run attack`: runs the suites, prints the time of each, and ends with
 * `N passed, N failed`. A suite that ran no test has failed.
 */
type Suite = { name: string; command: string[]; count(): Counts };
/** `failures`: the file and name of each test that failed, with the first line of why. */
type Counts = { passed: number; failed: number; failures: string[] };

/** Absolute: Vitest resolves a report's path from its own root, which is `src`. */
const OUT = resolve('test-results');
const VITEST = 'node_modules/vitest/vitest.mjs';
const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';

/** Tests of the node project that count higher under `npm run faults`. */
const REPEATED = [
  'tests/jobs/crash.test.ts',
  'tests/jobs/lease.test.ts',
  'tests/jobs/clock.test.ts',
  'tests/services/quota.test.ts',
  'tests/events/stream.test.ts',
  'tests/http/streamed-batch.test.ts',
];

/** Holds the app to a delay in milliseconds, which only says something beside nothing else. */
const ALONE = 'tests/faults/zip.test.ts';

/** For two cores: a file of these waits for a database or a process more than it computes. */
const SIDE_BY_SIDE = ['--maxWorkers=2'];

function vitestSuite(name: string, project: string, words: string[] = []): Suite {
  const report = `${OUT}/${name}.json`;
  return {
    name,
    command: [
      VITEST,
      'run',
      ...words,
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      '--reporter=./tests/support/unhandled-errors.ts',
      `--outputFile.json=${report}`,
    ],
    count: () => countVitest(report),
  };
}

function browserSuite(): Suite {
  return {
    name: 'browser',
    command: [PLAYWRIGHT, 'test', '-c', 'tests/browser/playwright.config.ts', '--reporter=list,json'],
    count: () => countPlaywright(`${OUT}/browser.json`),
  };
}

/** Returns the shapes of the two runners' reports, as far as they are read. */
function readReport(path: string): Record<string, unknown> {
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

function countVitest(path: string): Counts {
  const report = readReport(path);
  const skipped = numberOf(report, 'numPendingTests') + numberOf(report, 'numTodoTests');
  if (skipped > 0) console.log(`${skipped} tests were skipped: each counts as failed.`);
  // A file that could not even be loaded has no tests of its own to count.
  const broken = numberOf(report, 'numFailedTestSuites') > 0 && numberOf(report, 'numFailedTests') === 0 ? 1 : 0;
  return {
    passed: numberOf(report, 'numPassedTests'),
    failed: numberOf(report, 'numFailedTests') + skipped + broken,
    failures: recordsOf(report, 'testResults').flatMap(vitestFailures),
  };
}

function vitestFailures(file: Record<string, unknown>): string[] {
  const tests = recordsOf(file, 'assertionResults').filter((test) => test.status !== 'passed');
  if (tests.length === 0) return file.status === 'failed' ? [failure(file.name, 'was not loaded', file.message)] : [];
  return tests.map((test) => failure(file.name, test.fullName, [test.failureMessages].flat()[0] ?? file.message));
}

function countPlaywright(path: string): Counts {
  const report = readReport(path);
  const { stats } = report;
  if (!isRecord(stats)) return { passed: 0, failed: 0, failures: [] };
  // A test that passed only at the second try is a race that nobody has found yet.
  return {
    passed: numberOf(stats, 'expected'),
    failed: numberOf(stats, 'unexpected') + numberOf(stats, 'flaky') + numberOf(stats, 'skipped'),
    failures: playwrightFailures(report),
  };
}

/** Playwright's report holds suites in suites, and in them specs with a result for each try. */
function playwrightFailures(suite: Record<string, unknown>): string[] {
  const own = recordsOf(suite, 'specs').flatMap((spec) =>
    recordsOf(spec, 'tests')
      .filter(({ status }) => status !== 'expected')
      .map((test) => {
        const errors = recordsOf(test, 'results').flatMap((result) => recordsOf(result, 'errors'));
        // One that ran out of time says so first, and then what it was waiting for.
        return failure(spec.file, spec.title, errors.map(({ message }) => reasonOf(message)).join(' '));
      }),
  );
  return [...own, ...recordsOf(suite, 'suites').flatMap(playwrightFailures)];
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

/**
 * Each line says which suite it is of, since another may be running beside it. `unhandled` are the errors that no test
 * caught.
 */
function runCommand({ name, command }: Suite, env: NodeJS.ProcessEnv): Promise<{ code: number; unhandled: string[] }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: ['inherit', 'pipe', 'pipe'], env });
    const unhandled: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        console.log(`${name} │ ${line}`);
        if (line.startsWith(UNHANDLED)) unhandled.push(`${name}: ${line}`);
      });
    }
    child.once('close', (code) => resolve({ code: code ?? 1, unhandled }));
  });
}

async function runSuite(suite: Suite, env: NodeJS.ProcessEnv): Promise<Counts> {
  const startedAt = Date.now();
  console.log(`── ${suite.name} ──`);
  const { code, unhandled } = await runCommand(suite, env);
  const counts = suite.count();
  counts.failed += unhandled.length;
  counts.failures.push(...unhandled);
  const ranNothing = counts.passed + counts.failed === 0;
  if ((code !== 0 && counts.failed === 0) || ranNothing) {
    counts.failed += 1;
    counts.failures.push(`${suite.name}: ended with code ${code}`);
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`── ${suite.name}: ${counts.passed} passed, ${counts.failed} failed, ${seconds} s ──\n`);
  return counts;
}

async function runOneByOne(suites: readonly Suite[], env: NodeJS.ProcessEnv): Promise<Counts> {
  let total: Counts = { passed: 0, failed: 0, failures: [] };
  for (const suite of suites) total = sum([total, await runSuite(suite, env)]);
  return total;
}

function sum(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (total, { passed, failed, failures }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      failures: [...total.failures, ...failures],
    }),
    { passed: 0, failed: 0, failures: [] },
  );
}

/** Returns everything once, with small counts. */
async function runTests(given: NodeJS.ProcessEnv): Promise<Counts> {
  const env = {
    ...given,
    CHROMIUM_PATH: await findChromium(),
    PLAYWRIGHT_JSON_OUTPUT_NAME: `${OUT}/browser.json`,
  };
  // Two lanes of about the same length beside each other: each alone would leave a part of two cores unused.
  const lanes = await Promise.all([
    runOneByOne([vitestSuite('node', 'node', SIDE_BY_SIDE)], env),
    runOneByOne(
      [
        vitestSuite('faults', 'faults', SIDE_BY_SIDE),
        vitestSuite('attack', 'attack'),
        vitestSuite('dom', 'dom'),
        browserSuite(),
      ],
      env,
    ),
  ]);
  return sum(lanes);
}

/** What is killed, at full counts. */
function runFaults(env: NodeJS.ProcessEnv): Promise<Counts> {
  const suites = [
    vitestSuite('faults', 'faults', [`--exclude=**/${ALONE}`, ...SIDE_BY_SIDE]),
    vitestSuite('faults-alone', 'faults', [ALONE]),
    vitestSuite('repeated', 'node', [...REPEATED, ...SIDE_BY_SIDE]),
  ];
  return runOneByOne(suites, env);
}

/** The attacks at full counts. Nothing runs beside them, since they judge how long the event loop is held. */
function runAttack(env: NodeJS.ProcessEnv): Promise<Counts> {
  return runOneByOne([vitestSuite('attack', 'attack')], env);
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
// Taken before: a build of Vite makes its own process one of production.
const env = { ...process.env, TEST_PROGRAMS: `${OUT}/programs` };
await bundlePrograms(env.TEST_PROGRAMS);
const [, , script = ''] = process.argv;
const total = await ({ '--faults': runFaults, '--attack': runAttack }[script] ?? runTests)(env);
writeFileSync(`${OUT}/total${script.slice(1)}.json`, JSON.stringify(total));
for (const line of total.failures) console.log(`FAILED ${line}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
