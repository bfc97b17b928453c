import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { forgetPeakRss, peakRssBytes, rssBytes } from '../bench/harness.ts';
import { program } from './program.ts';

/**
 * The time and memory of one publication; memory is null without /proc. Idle is what the process took before it had
 * published anything: what the first publication leaves allocated is of publishing as well.
 */
export type Publishing = { ms: number; peakBytes: number | null; aboveIdleBytes: number | null };

export type Publisher = {
  /** Publishes the folder, in which these files have changed since the last time. */
  publish(changed?: readonly string[]): Promise<Publishing>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * A process that publishes a folder by our own adapter alone (publishing-process.ts). `githubApiUrl` is for a platform
 * that publishes through a repository there.
 */
export function startPublisher(
  platform: string,
  apiUrl: string,
  folder: string,
  { isPatient = false, githubApiUrl = apiUrl } = {},
): Promise<Publisher> {
  const patience = isPatient ? 'patient' : '';
  return publisherBy([...program('publishing-process'), platform, apiUrl, githubApiUrl, folder, patience]);
}

/** A process that says `{ ms }` when it is ready, and again each time that it has published. */
export async function publisherBy(command: readonly string[]): Promise<Publisher> {
  const child = spawn(process.execPath, ['--expose-gc', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await answerOf(child);
  const pid = child.pid ?? 0;
  const idleBytes = rssBytes(pid);
  return {
    async publish(changed = []) {
      forgetPeakRss(pid);
      const answered = answerOf(child);
      child.send(changed);
      const ms = await answered;
      const peakBytes = peakRssBytes(pid);
      const aboveIdleBytes = peakBytes === null || idleBytes === null ? null : peakBytes - idleBytes;
      return { ms, peakBytes, aboveIdleBytes };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function answerOf(child: ChildProcess): Promise<number> {
  const waiting = new AbortController();
  const ended = once(child, 'exit', { signal: waiting.signal }).then(() => {
    throw new Error('The process that publishes has ended.');
  });
  ended.catch(() => undefined);
  try {
    const [said] = await Promise.race([once(child, 'message', { signal: waiting.signal }), ended]);
    return Number(said.ms);
  } finally {
    waiting.abort();
  }
}
