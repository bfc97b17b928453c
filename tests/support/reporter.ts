import type { Reporter, TestCase } from 'vitest/node';

/** The beginnings of the lines by which `run.ts` finds facts that the JSON report lacks. */
export const UNHANDLED = 'Unhandled error: ';
export const FLAKY = 'Flaky: ';

/** A reporter of Vitest: a line for each error that no test caught, and for each test that passed at its second try. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class UnhandledAndFlaky implements Reporter {
  onTestCaseResult: NonNullable<Reporter['onTestCaseResult']> = (test: TestCase) => {
    if (test.diagnostic()?.flaky !== true) return;
    const [error] = test.result().errors ?? [];
    process.stdout.write(
      `${FLAKY}${test.module.relativeModuleId}: ${test.fullName}: ${error?.message.split('\n')[0] ?? ''}\n`,
    );
  };

  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    for (const { name, message, stack } of errors) {
      const place = /\(?((?:\/|file:)\S*\/(?:tests|server|src|routers)\/\S+)/.exec(stack ?? '')?.[1] ?? '';
      process.stdout.write(`${UNHANDLED}${name ?? ''}: ${message.split('\n')[0]} ${place}\n`);
    }
  };
}
