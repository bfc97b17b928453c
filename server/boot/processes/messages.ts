import type { ExitCode } from '../../lib/start-error.ts';
import type { CounterReply, CounterRequest } from './remote-rate-counters.ts';

/** Messages of the first process to a child. */
export type ToChild =
  /**
   * Starts the child's work. `worker` names its job worker; a child that replaces one which has ended keeps that one's name.
   * `takesOverFrom` are the workers whose jobs it takes over. With `isServing` the instance is ready already, so the child
   * is ready as soon as it listens.
   */
  | {
      kind: 'start';
      uri: string;
      worker: string;
      takesOverFrom: string[];
      keepsSnapshot: boolean;
      isServing: boolean;
      /** What the keys of TLS session tickets come from (transport/ticket-keys.ts). */
      ticketRoot: { period: number; secret: string };
    }
  /** All children listen: the instance is ready. */
  | { kind: 'instanceReady' }
  | { kind: 'stop' }
  | { kind: 'countersReply'; replies: CounterReply[] };

/** Messages of a child to the first process. */
export type FromChild =
  /** It takes messages from now on; what is sent to a child before that is lost. */
  | { kind: 'connected' }
  | { kind: 'ready' }
  /** Sent again and again by a child whose event loop turns. `isDebugged` says that a debugger may hold it at any line. */
  | { kind: 'alive'; isDebugged: boolean }
  | { kind: 'failed'; sentence: string; exitCode: ExitCode }
  | { kind: 'countersRequest'; requests: CounterRequest[] };

/**
 * Has even a single process run as a child: the first process then starts it again when it ends, with the database left
 * running. `npm start` says so.
 */
export const SUPERVISED_ARGUMENT = '--supervised';

/** The first argument of a child, which tells it apart from a worker of somebody else's cluster. */
export const CHILD_ARGUMENT = 'child-of-a-group';
