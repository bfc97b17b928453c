import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type RealApp, startRealApp } from './real-app.ts';

/** Starts the product as `npm start` does: in a child that is started again when it ends. */
export function startSupervised(env: NodeJS.ProcessEnv = {}): Promise<RealApp> {
  return startRealApp(env, ['dist/server/main.js', '--supervised']);
}

/** The number of its child by the system, the one last started, as the log says it. */
export function childOf(app: RealApp): number {
  const pid = Number([...app.output().matchAll(/"message":"Process is running","pid":(\d+)/g)].at(-1)?.[1]);
  // A signal to number 0, which stands for none elsewhere, would go to the process that runs the tests.
  if (!(pid > 0)) throw new Error('The app has no child.');
  return pid;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export type Answer = { status: number; headers: IncomingMessage['headers']; body: string };
export type Question = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** By default every question has a connection of its own. */
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
