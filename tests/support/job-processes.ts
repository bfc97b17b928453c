import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './program.ts';

export type JobProcess = AsyncDisposable & {
  child: ChildProcess;
  /** Resolves once it has said this line. */
  until(line: string): Promise<void>;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  /** SIGKILL, and waits until it is gone, as its disposal does: one that lived on would work for the next test. */
  kill(): Promise<void>;
};

export type JobProcessOptions = {
  uri: string;
  databaseName: string;
  mode?: 'count' | 'pause';
  /** The time for which each job works on after its effect. */
  ms?: number;
  /** The error of its clock. */
  shiftMs?: number;
};

/** Starts a worker in a process of its own (support/job-process.ts); resolves when it claims jobs. */
export async function startJobProcess(options: JobProcessOptions): Promise<JobProcess> {
  const { uri, databaseName, mode = 'count', ms = 5, shiftMs = 0 } = options;
  const preload = shiftMs === 0 ? [] : ['--import', './tests/support/shifted-clock.mjs'];
  const child = spawn(process.execPath, [...preload, ...program('job-process'), uri, databaseName, mode, String(ms)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, CLOCK_SHIFT_MS: String(shiftMs) },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  // It may be told something when it is dead.
  child.stdin.on('error', () => undefined);
  const started: JobProcess = {
    child,
    async until(line) {
      while (!said.split('\n').includes(line)) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The worker ended. It said: ${said}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill,
    [Symbol.asyncDispose]: kill,
  };
  await started.until('ready');
  return started;
}
