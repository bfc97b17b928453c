import { existsSync } from 'node:fs';
import { type Transferable, Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';

/** The programs that run in a thread, by the names that the build gives them (vite.config.ts). */
const PROGRAMS = {
  'zip-worker': '../../store/zip/zip.worker.ts',
  'inspection-worker': '../../publishing/inspection/inspection.worker.ts',
  'quick-look-worker': '../../publishing/publication/verification/quick-look.worker.ts',
} as const;

export type ThreadOptions = {
  program: keyof typeof PROGRAMS | URL;
  /** Becomes the thread's `workerData`. */
  data?: unknown;
  /** A thread that takes more ends itself alone, with ERR_WORKER_OUT_OF_MEMORY. */
  heapMaxMb: number;
  /** Ends the work, and rejects with its reason. */
  signal: AbortSignal;
  /** The longest time without a message while somebody waits for one. */
  silentMs?: number;
};

export type Thread<ToThread, FromThread> = {
  post(message: ToThread, transfer?: readonly Transferable[]): void;
  /**
   * Returns the next message. Throws the thread's own error, `overloaded` after too long a silence, and the reason of
   * the signal.
   */
  next(): Promise<FromThread>;
  /** Ends the thread, whatever it is doing. */
  end(): Promise<void>;
};

/** Far longer than any thread computes between two messages, also on a busy machine. */
const SILENT_MS = 60_000;
/** The time is counted in parts, so that a pause of the whole process, thread included, counts as one of them. */
const SILENT_PARTS = 60;

/** Starts a thread, for work on untrusted input that would hold up all other calls of this process. */
export function startThread<ToThread, FromThread>(options: ThreadOptions): Thread<ToThread, FromThread> {
  const { program, data, heapMaxMb, signal, silentMs = SILENT_MS } = options;
  const worker = new Worker(program instanceof URL ? program : fileOf(program), {
    workerData: data,
    argv: program instanceof URL ? [] : [PROGRAMS[program]],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
  });
  const inbox = createInbox<FromThread>(worker, signal, silentMs);
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    next: inbox.next,
    async end() {
      inbox.close();
      await worker.terminate();
    },
  };
}

/** Finds the built program: beside the app, or one folder above a shared chunk. */
function fileOf(name: keyof typeof PROGRAMS): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('thread-from-source.mjs', here);
  const [file] = [`./${name}.js`, `../${name}.js`].map((path) => new URL(path, here)).filter(existsSync);
  if (file === undefined) throw new Error(`The built product lacks ${name}.js.`);
  return file;
}

type Inbox<Message> = { next(): Promise<Message>; close(): void };

/** Queues messages in order. A waiting caller is told when the thread fails, ends, is silent, or is cancelled. */
function createInbox<Message>(worker: Worker, signal: AbortSignal, silentMs: number): Inbox<Message> {
  const messages: Message[] = [];
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    wake?.();
  };
  const onAbort = (): void => wake?.();
  worker.on('message', (message: Message) => {
    messages.push(message);
    wake?.();
  });
  worker.on('messageerror', fail);
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread ended before its work was done.')));
  signal.addEventListener('abort', onAbort, { once: true });

  async function untilWoken(): Promise<void> {
    let parts = 0;
    const timer = setInterval(() => {
      parts += 1;
      if (parts === SILENT_PARTS) fail(new AppError('overloaded', 'Reading this takes too long. Try again later.'));
    }, silentMs / SILENT_PARTS);
    await new Promise<void>((resolve) => (wake = resolve));
    clearInterval(timer);
  }

  return {
    async next() {
      for (;;) {
        // Messages that have arrived already are of no use then, either.
        signal.throwIfAborted();
        const message = messages.shift();
        if (message !== undefined) return message;
        if (failure !== undefined) throw failure.error;
        await untilWoken();
      }
    },
    close: () => signal.removeEventListener('abort', onAbort),
  };
}
