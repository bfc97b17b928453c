/**
 * Returns the arguments of Node for a program of the tests that runs in a process of its own. `npm test` has bundled
 * it beforehand (run.ts), as the product is: from its sources alone each start would take four times as long.
 */
export function program(name: ProgramName): readonly string[] {
  const folder = process.env.TEST_PROGRAMS;
  return folder === undefined ? ['--import', 'tsx', sourceOf(name)] : [`${folder}/${name}.js`];
}

export const PROGRAMS = [
  'faulty-main',
  'fatal-error-main',
  'host-memory',
  'http2-port',
  'job-process',
  'payment-instance',
  'platform-process',
  'publishing-process',
  'quota-instance',
  'storing-process',
] as const;
type ProgramName = (typeof PROGRAMS)[number];

export function sourceOf(name: ProgramName): string {
  return `tests/support/${name}.ts`;
}
