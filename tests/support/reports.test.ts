import { expect, test } from 'vitest';
import { countVitest } from './reports.ts';

type Tried = { fullName: string; status: string; failureMessages: string[] };
const PASSED: Tried = { fullName: 'adds', status: 'passed', failureMessages: [] };
const FAILED: Tried = {
  fullName: 'takes away',
  status: 'failed',
  failureMessages: ['Error: 1 is not 2\n    at a.ts:1'],
};
const SKIPPED: Tried = { fullName: 'halves', status: 'skipped', failureMessages: [] };

/** Returns the report of Vitest on a file that failed, with these tests. */
function reportOf(message: string, ...tests: Tried[]) {
  return {
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    numFailedTests: tests.filter(({ status }) => status === 'failed').length,
    numPendingTests: tests.filter(({ status }) => status === 'skipped').length,
    testResults: [{ name: 'a.test.ts', status: 'failed', message, assertionResults: tests }],
  };
}

test.each<[string, ReturnType<typeof reportOf>, number, string[]]>([
  ['cannot be loaded', reportOf('Cannot find b.ts'), 0, ['a.test.ts: was not loaded: Cannot find b.ts']],
  ['has a bad test', reportOf('', PASSED, FAILED), 1, ['a.test.ts: takes away: Error: 1 is not 2']],
  [
    'is planned badly',
    reportOf('Badly planned: query on jobs\nquery on users', PASSED),
    1,
    ['a.test.ts: failed at its end: Badly planned: query on jobs'],
  ],
  [
    'has a bad test and is planned badly',
    reportOf('Badly planned: query on jobs', PASSED, FAILED),
    1,
    ['a.test.ts: takes away: Error: 1 is not 2', 'a.test.ts: failed at its end: Badly planned: query on jobs'],
  ],
  ['cannot begin', reportOf('No database', SKIPPED), 0, ['a.test.ts: halves: No database']],
])('each failure of a file that %s is counted and named once', (_what, report, passed, failures) => {
  expect(countVitest(report)).toMatchObject({ passed, failed: failures.length, failures });
});
