import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bundlePrograms } from './bundle-programs.ts';
import { findChromium } from './chromium.ts';
import { findDatabase } from './mongo.ts';
import { setup as findNameServers } from './name-server-programs.ts';
import { setup as findPebble } from './pebble-program.ts';
import { FLAKY, UNHANDLED } from './reporter.ts';
import { type Counts, countPlaywright, countVitest, NOTHING, readReport } from './reports.ts';

/**
 * `npm test`, `npm run test:gate` and `npm run test:full`: runs the suites of that size, names the slowest files and the
 * flaky tests, and ends with `N passed, N failed`. A suite that ran no test has failed.
 */
type Suite = { name: string; command: string[]; count(): Counts };

type Size = 'quick' | 'gate' | 'full';

const [, , given = 'quick', ...chosen] = process.argv;
const size = sizeOf(given);
/** Absolute: Vitest resolves a report's path from its own root, which is `src`. */
const OUT = resolve('test-results', size);
const VITEST = 'node_modules/vitest/vitest.mjs';
const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';

/** More flaky tests than these are no accident. */
const FLAKY_MAX = 3;
const SLOWEST = 10;

/**
 * Two workers for two cores, since a file of these waits for a database or a process more than it computes. With three
 * beside the browsers' each test took ten times as long as alone, and some were cut off.
 */
const SIDE_BY_SIDE = ['--maxWorkers=2'];

/** Judges how long the app is held, which only says something beside nothing else. */
const ALONE = 'tests/faults/zip.full.test.ts';

function sizeOf(word: string): Size {
  if (word === 'quick' || word === 'gate' || word === 'full') return word;
  throw new Error(`${word} is none of the sizes quick, gate and full.`);
}

function vitestSuite(name: string, projects: readonly string[], words: readonly string[] = SIDE_BY_SIDE): Suite {
  const report = `${OUT}/${name}.json`;
  return {
    name,
    command: [
      VITEST,
      'run',
      ...words,
      ...projects.map((project) => `--project=${project}`),
      '--reporter=default',
      '--reporter=json',
      '--reporter=./tests/support/reporter.ts',
      `--outputFile.json=${report}`,
    ],
    count: () => countVitest(readReport(report)),
  };
}

/** `files`: those alone; all browser tests without them. */
function browserSuite(files: readonly string[] = []): Suite {
  return {
    name: 'browser',
    command: [PLAYWRIGHT, 'test', ...files, '-c', 'tests/browser/playwright.config.ts', '--reporter=list,json'],
    count: () => countPlaywright(readReport(`${OUT}/browser.json`)),
  };
}

/** A program of its own, which ends with another code than 0 when something failed. */
function programSuite(name: string, file: string): Suite {
  return { name, command: ['--import', 'tsx', file], count: () => ({ ...NOTHING, passed: 1 }) };
}

/** The main path in a second engine. */
const FIREFOX = programSuite('firefox', 'tests/firefox/main-path.ts');

/** The vendors' own clients against our stand-ins; mostly it waits for their installation. */
const CLIENTS = programSuite('clients', 'tests/clients/run.ts');

/** The output of a suite that its report lacks. */
type Said = { code: number; unhandled: string[]; flaky: string[] };

/** Each line says which suite it is of, since another may be running beside it. */
function runCommand({ name, command }: Suite, env: NodeJS.ProcessEnv): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: ['inherit', 'pipe', 'pipe'], env });
    const unhandled: string[] = [];
    const flaky: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        console.log(`${name} │ ${line}`);
        if (line.startsWith(UNHANDLED)) unhandled.push(`${name}: ${line}`);
        if (line.startsWith(FLAKY)) flaky.push(line.slice(FLAKY.length));
      });
    }
    child.once('close', (code) => resolve({ code: code ?? 1, unhandled, flaky }));
  });
}

async function runSuite(suite: Suite, env: NodeJS.ProcessEnv): Promise<Counts> {
  const startedAt = Date.now();
  console.log(`── ${suite.name} ──`);
  const { code, unhandled, flaky } = await runCommand(suite, env);
  const counts = sum([suite.count(), { ...NOTHING, failed: unhandled.length, failures: unhandled, flaky }]);
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
  const counts: Counts[] = [];
  for (const suite of suites) counts.push(await runSuite(suite, env));
  return sum(counts);
}

function sum(counts: readonly Counts[]): Counts {
  return {
    passed: counts.reduce((total, { passed }) => total + passed, 0),
    failed: counts.reduce((total, { failed }) => total + failed, 0),
    failures: counts.flatMap(({ failures }) => failures),
    flaky: counts.flatMap(({ flaky }) => flaky),
    files: counts.flatMap(({ files }) => files),
  };
}

/** The lanes of a size run beside each other, and the suites of a lane one after the other. */
const LANES: Record<Size, readonly (readonly Suite[])[]> = {
  quick: [[vitestSuite('node', ['node', 'dom', 'dom-mocking'])], [browserSuite(['browser/path.spec.ts'])]],
  // The browser's lane would end long before the other: it goes on with what waits for real apps.
  gate: [[vitestSuite('gate', ['gate', 'attack'])], [browserSuite(), vitestSuite('faults', ['faults'])], [CLIENTS]],
  // Nothing runs beside these: some judge how long the event loop is held.
  full: [
    [
      vitestSuite('node', ['node', 'dom', 'dom-mocking', 'gate', 'full']),
      vitestSuite('faults', ['faults'], [`--exclude=**/${ALONE}`, ...SIDE_BY_SIDE]),
      vitestSuite('faults-alone', ['faults'], [ALONE]),
      vitestSuite('attack', ['attack'], []),
      // All regular expressions, with none of them known as linear.
      vitestSuite('architecture', ['architecture'], ['--maxWorkers=1']),
      browserSuite(),
      FIREFOX,
      CLIENTS,
    ],
  ],
};

/** The files are in memory if the system has room there: a write that waits for a disk takes twenty times as long. */
const MEMORY = '/dev/shm';
const temporary = mkdtempSync(`${existsSync(MEMORY) ? MEMORY : tmpdir()}/fairlead-tests-`);
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
// Fetched beside each other where they are missing: one waits for the network while another is built. Whatever needs the
// database says why there is none.
const ofDatabase = findDatabase().catch(() => undefined);
const [chromium] = await Promise.all([findChromium(), findNameServers(), findPebble(), ofDatabase]);
// Taken before: a build of Vite makes its own process one of production.
const env = {
  ...process.env,
  TMPDIR: temporary,
  TEST_SIZE: size,
  TEST_PROGRAMS: `${OUT}/programs`,
  CHROMIUM_PATH: chromium,
  PLAYWRIGHT_JSON_OUTPUT_NAME: `${OUT}/browser.json`,
  // Its own folder would be in TMPDIR, and empty at each start: it takes a quarter of a minute to read all specs anew.
  PLAYWRIGHT_TRANSFORM_CACHE_DIR: resolve('node_modules/.cache/playwright'),
};
await bundlePrograms(env.TEST_PROGRAMS);
const lanes = LANES[size].map((lane) => lane.filter(({ name }) => chosen.length === 0 || chosen.includes(name)));
const total = sum(await Promise.all(lanes.map((lane) => runOneByOne(lane, env))));
if (total.flaky.length > FLAKY_MAX) {
  total.failed += 1;
  total.failures.push(`${total.flaky.length} tests were flaky, and ${FLAKY_MAX} may be.`);
}
writeFileSync(`${OUT}/total.json`, JSON.stringify(total));
for (const { path, seconds } of total.files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)) {
  console.log(`slow: ${seconds.toFixed(1)} s ${path}`);
}
for (const line of total.flaky) console.log(`flaky: ${line}`);
for (const line of total.failures) console.log(`FAILED ${line}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
