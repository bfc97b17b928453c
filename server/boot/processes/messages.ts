import type { ExitCode } from '../../lib/start-error.ts';
import type { CounterReply, CounterRequest } from './remote-rate-counters.ts';

/** The messages that the first process sends to a child. */
export type ToChild =
  /**
   * Starts the child's work. `worker` names its job worker; a replacement keeps the name of the child that ended.
   * `takesOverFrom` names the workers whose jobs it takes over. With `isServing` the instance is already ready, so the
   * child is ready as soon as it listens.
   */
  | {
      kind: 'start';
      uri: string;
      worker: string;
      takesOverFrom: string[];
      keepsSnapshot: boolean;
      isServing: boolean;
      /** The keys of TLS session tickets are derived from this (transport/ticket-keys.ts). */
      ticketRoot: { period: number; secret: string };
    }
  /** All children listen: the instance is ready. */
  | { kind: 'instanceReady' }
  | { kind: 'stop' }
  | { kind: 'countersReply'; replies: CounterReply[] };

/** The messages that a child sends to the first process. */
export type FromChild =
  /** The child receives messages from now on; anything sent before is lost. */
  | { kind: 'connected' }
  | { kind: 'ready' }
  /** Sent at intervals while the child's event loop runs. `isDebugged` says that a debugger may hold it at any line. */
  | { kind: 'alive'; isDebugged: boolean }
  | { kind: 'failed'; sentence: string; exitCode: ExitCode }
  | { kind: 'countersRequest'; requests: CounterRequest[] };

/**
 * Makes even a single process run as a child, so that the first process can restart it while the database stays up.
 * `npm start` passes it.
 */
export const SUPERVISED_ARGUMENT = '--supervised';

/** The first argument of a child, which distinguishes it from a worker of another cluster. */
export const CHILD_ARGUMENT = 'child-of-a-group';
