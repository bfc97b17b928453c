import type { Reporter } from 'vitest/node';

/** How the line begins by which `run.ts` finds what no test failed for: the JSON report has no word of it. */
export const UNHANDLED = 'Unhandled error: ';

/** A reporter of Vitest: a line for each error that no test caught, which fails the run all the same. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class UnhandledErrors implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    for (const { name, message, stack } of errors) {
      const place = /\(?((?:\/|file:)\S*\/(?:tests|server|src|routers)\/\S+)/.exec(stack ?? '')?.[1] ?? '';
      process.stdout.write(`${UNHANDLED}${name ?? ''}: ${message.split('\n')[0]} ${place}\n`);
    }
  };
}
