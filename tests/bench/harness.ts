import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename } from 'node:path';

/**
 * A comparison runs ours and a peer beside each other: both are warmed, rounds go A B A B, and what is printed is the
 * ratio of each pair. Nothing fails on time; a wrong answer does fail.
 */
const CLOCK_TICKS_PER_SECOND = 100;
const KIB = 1024;
const START_TIMEOUT_MS = 30_000;

const hasTaskset = [0, 1].every((core) => spawnSync('taskset', ['-c', String(core), 'true']).status === 0);

/** Server on the first core, generator on the second, where the system can pin. */
export function pinned(core: number, command: string[]): string[] {
  return hasTaskset ? ['taskset', '-c', String(core), ...command] : command;
}

/** Takes the pin off this process and all that it starts from now on: for work that may use every core. */
export function unpin(): void {
  if (hasTaskset) spawnSync('taskset', ['-acp', `0-${cpus().length - 1}`, String(process.pid)]);
}

export type Served = {
  port: number;
  pid: number;
  child: ChildProcess;
  /** The facts that the server printed with its port when it was ready. */
  facts: Record<string, string>;
  stop(): Promise<void>;
};

/** Starts a server script, bundled by run.ts; it says `{ port, facts }` over IPC when it listens. */
export async function startServer(script: string, args: string[] = []): Promise<Served> {
  const [program = process.execPath, ...rest] = pinned(0, [
    process.execPath,
    '--expose-gc',
    `${process.env.BENCH_SERVERS}/${basename(script, '.ts')}.js`,
    ...args,
  ]);
  const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: process.env });
  const ready = once(child, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${script} ${args.join(' ')} ended before it listened.`);
  });
  ended.catch(() => undefined);
  const [message] = await Promise.race([ready, ended]);
  return {
    port: Number(message.port),
    // taskset replaces itself by the program, so the pid is the server's.
    pid: child.pid ?? 0,
    child,
    facts: message.facts ?? {},
    stop: () => stopChild(child),
  };
}

/** Asks, and ends what does not end by itself. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exit;
  clearTimeout(kill);
}

/** User and system time of a process; null where /proc is not. */
export function cpuSeconds(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

export function rssBytes(pid: number): number | null {
  return memoryOf(pid, 'VmRSS');
}

/** The most that it was since `forgetPeakRss`; null where /proc is not. */
export function peakRssBytes(pid: number): number | null {
  return memoryOf(pid, 'VmHWM');
}

/** proc(5), `clear_refs`: 5 sets the peak to what is used now. */
export function forgetPeakRss(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Where /proc is not, there is no peak to read either.
  }
}

function memoryOf(pid: number, field: string): number | null {
  try {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return line === undefined ? null : Number(line) * KIB;
  } catch {
    return null;
  }
}

export type Pair = { ours: number; peer: number };

/** One row: the pairwise ratios, and both medians in their own unit. */
export function printRatio(name: string, pairs: readonly Pair[], { unit, goal }: { unit: string; goal: string }): void {
  const ratios = pairs.map(({ ours, peer }) => ours / peer).sort((a, b) => a - b);
  const range = `${fixed(ratios[0])} to ${fixed(ratios.at(-1))}`;
  const medians = `ours ${round(median(pairs.map((pair) => pair.ours)))} ${unit}, peer ${round(median(pairs.map((pair) => pair.peer)))} ${unit}`;
  console.log(
    `  ${name}\n    ratio: min ${fixed(ratios[0])}, median ${fixed(median(ratios))}, range ${range}, ${pairs.length} rounds; goal ${goal}\n    medians: ${medians}`,
  );
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function fixed(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? 'none' : value.toFixed(2);
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2);
}

export function loadLine(): string {
  return `load average ${loadavg().map(fixed).join(' ')}`;
}
