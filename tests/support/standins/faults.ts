/** The kinds of requests that can be made to fail. Each route of a stand-in is of one. */
export type Step =
  | 'account'
  | 'look'
  | 'site'
  | 'release'
  | 'upload'
  | 'finish'
  | 'state'
  | 'cancel'
  | 'restore'
  | 'remove'
  | 'domains'
  | 'attach'
  | 'certificate'
  | 'detach'
  | 'visit'
  | 'zones'
  | 'records'
  | 'change';

/**
 * The kinds of fault. `held`: done when that is over; `late`: done, but the answer never comes; `reset`: not done, the
 * connection breaks off; `cut`: it breaks off in the middle of the request's body; `halfBody`: done, and it breaks off
 * in the middle of the answer; `garbage`: a page instead of an answer, with this status; `misshapen`: JSON that is no
 * answer to this; `states`: the new object passes these states of the platform's own before it is ready.
 */
export type Fault =
  | { how: 'wait'; ms: number }
  | { how: 'held'; until: Promise<unknown> }
  | { how: 'status'; status: number; headers?: Record<string, string>; body?: unknown }
  | { how: 'garbage'; status?: number }
  | { how: 'misshapen' }
  | { how: 'reset' }
  | { how: 'cut' }
  | { how: 'halfBody' }
  | { how: 'late' }
  | { how: 'states'; states: readonly string[] };

export type FaultScript = {
  /** The next `times` requests of this step, or of any, fail this way; faults are used in the order of the calls. */
  fail(step: Step | 'any', fault: Fault, times?: number): void;
  /** Ends all faults. */
  heal(): void;
  /** Returns the fault for this request, or undefined. */
  take(step: Step): Fault | undefined;
};

/** An empty script: nothing goes wrong until it is told to. */
export function createFaultScript(): FaultScript {
  const lines: { step: Step | 'any'; fault: Fault; times: number }[] = [];
  return {
    fail: (step, fault, times = 1) => void lines.push({ step, fault, times }),
    heal: () => {
      lines.length = 0;
    },
    take: (step) => {
      const line = lines.find((one) => (one.step === step || one.step === 'any') && one.times > 0);
      if (line === undefined) return undefined;
      line.times -= 1;
      return line.fault;
    },
  };
}
