import type { ExitCode } from '../start/start-error.ts';
import type { Answer, Ask } from './tally-by-message.ts';

/** What the first process says to a child. */
export type ToChild =
  /**
   * `worker`: what its job worker is called, as that of the child was whose place it takes. `heirOf`: whose jobs it takes
   * over. `isOpen`: the instance is ready already, so this child is as soon as its doors are open.
   */
  | { kind: 'begin'; uri: string; worker: string; heirOf: string[]; keepsSnapshot: boolean; isOpen: boolean }
  /** All children have opened their doors: the instance is ready. */
  | { kind: 'open' }
  | { kind: 'stop' }
  | { kind: 'answers'; answers: Answer[] };

/** What a child says to the first process. */
export type FromChild =
  /** It hears from now on: what is said to a child before that is lost. */
  | { kind: 'hears' }
  | { kind: 'ready' }
  | { kind: 'failed'; sentence: string; exitCode: ExitCode }
  | { kind: 'asks'; asks: Ask[] };

/** The first argument of a child: a process of somebody else's cluster is none. */
export const CHILD_ARGUMENT = 'child-of-a-group';
