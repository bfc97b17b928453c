/** What a request to the simulated platform is about: where it can be made to fail. */
export type VendorStep =
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
  | 'visit';

/**
 * How it goes wrong. `late`: done, but the answer never comes; `reset`: not done, the connection breaks off;
 * `halfBody`: done, and the connection breaks off in the middle of the answer; `states`: the release or domain
 * goes through these states of the platform's own before it is ready.
 */
export type Fault =
  | { how: 'wait'; ms: number }
  | { how: 'status'; status: number; headers?: Record<string, string>; body?: unknown }
  | { how: 'garbage' }
  | { how: 'reset' }
  | { how: 'halfBody' }
  | { how: 'late' }
  | { how: 'states'; states: readonly string[] };

export type FaultScript = {
  /** The next `times` requests of this step go wrong this way; what was said first comes first. */
  fail(step: VendorStep, fault: Fault, times?: number): void;
  /** Nothing goes wrong any more. */
  heal(): void;
  /** What this request meets, or undefined. */
  take(step: VendorStep): Fault | undefined;
};

/** An empty script: nothing goes wrong until it is told to. */
export function createFaultScript(): FaultScript {
  const lines: { step: VendorStep; fault: Fault; times: number }[] = [];
  return {
    fail: (step, fault, times = 1) => void lines.push({ step, fault, times }),
    heal: () => {
      lines.length = 0;
    },
    take: (step) => {
      const line = lines.find((one) => one.step === step && one.times > 0);
      if (line === undefined) return undefined;
      line.times -= 1;
      return line.fault;
    },
  };
}
