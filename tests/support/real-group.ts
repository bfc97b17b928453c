import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { holdProcess } from './held-process.ts';
import { type RealApp, startRealApp } from './real-app.ts';

/** Returns the product in so many processes behind one port. */
export function startGroup(env: NodeJS.ProcessEnv, processes = 2): Promise<RealApp> {
  return startRealApp({ ...env, PROCESSES: String(processes) });
}

/** The numbers of its children by the system, those last started of each, as the log says them. */
export function childrenOf(app: RealApp): number[] {
  const pids = new Map<string, number>();
  for (const [, number = '', pid] of app
    .output()
    .matchAll(/"message":"Process is running","process":(\d+),"pid":(\d+)/g))
    pids.set(number, Number(pid));
  return [...pids.values()];
}

/**
 * Returns one of them; a signal to number 0, which stands for none elsewhere, would go to the process that runs the
 * tests.
 */
export function childAt(app: RealApp, index: number): number {
  const pid = childrenOf(app)[index];
  if (pid === undefined) throw new Error(`The app has no child ${index}.`);
  return pid;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** While this child alone runs, it takes every connection: the others are held in the meantime. */
export async function withChild<T>(app: RealApp, pid: number, work: () => Promise<T>): Promise<T> {
  const others = childrenOf(app).filter((other) => other !== pid);
  const letGo = await Promise.all(others.map(holdProcess));
  try {
    return await work();
  } finally {
    for (const goOn of letGo) goOn();
  }
}

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string };
export type Question = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** By default every question has a connection of its own: any of the processes may take it. */
  agent?: Agent;
};

/** Far more than an answer takes on a busy machine; a lost connection would never get one. */
const PATIENCE_MS = 20_000;
export const NO_ANSWER = 'No answer came.';

export function ask(url: string, { method = 'GET', headers = {}, body, agent }: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path: `${pathname}${search}`,
        method,
        agent: agent ?? false,
        headers: { Host: `${hostname}:${port}`, ...headers },
      },
      (response) => {
        text(response).then(
          (answered) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered }),
          reject,
        );
      },
    );
    outgoing.once('error', reject);
    outgoing.setTimeout(PATIENCE_MS, () => outgoing.destroy(new Error(NO_ANSWER)));
    outgoing.end(body);
  });
}
