import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The bundle (npm test builds it first): it starts in a tenth of the time that the sources take. */
const MAIN = join(import.meta.dirname, '../../dist/server/main.js');

export type Ended = { exitCode: number | null; stdout: string; stderr: string };

/** Only what a program needs: no variable of this machine gets into a start by accident. */
function bareEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

/** Returns a start of the built product, in a process of its own, until it ends by itself. */
export async function startUntilItEnds(
  environment: Record<string, string>,
  {
    nodeArguments = [],
    program = MAIN,
    programArguments = [],
  }: Partial<Record<'nodeArguments' | 'programArguments', string[]>> & { program?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...nodeArguments, program, ...programArguments], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode: typeof exitCode === 'number' ? exitCode : null, stdout, stderr };
}

/** Returns a folder that is gone with the test. */
export async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-start-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
