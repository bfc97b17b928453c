import { expect } from 'vitest';
import type { PlatformUnderTest } from './platform-harness.ts';
import { platformHarness, published, restored } from './platform-harness.ts';
import type { Fault, Step } from './standins/faults.ts';
import type { StandIn } from './standins/stand-in.ts';

export type Refusal = {
  title: string;
  /** The step that is refused; of publishing, unless `act` is set. */
  step: Step;
  act?: 'attach' | 'restore';
  fault: Fault;
  code: string;
  says: string;
  remedy: string;
  /** The platform asks for a wait of more than a day. */
  waits?: true;
};

type Refusing = PlatformUnderTest & { standIn: Pick<StandIn<unknown>, 'fail' | 'requests' | 'drift'> };

/** Has the platform refuse one step, and expects the code, what is said and what to do. */
export async function expectRefusal(make: () => Promise<Refusing>, refusal: Refusal): Promise<void> {
  const { step, act, fault, code, says, remedy, waits } = refusal;
  await using subject = await make();
  await using harness = await platformHarness();
  const { platform, standIn } = subject;
  const publish = async (number: number, text: string) =>
    published(platform, harness.call, await harness.release(number, { 'index.html': 'one', 'b.txt': text }));
  const one = act === undefined ? null : await publish(1, 'one');
  if (act === 'restore') await publish(2, 'two');
  standIn.fail(step, fault, fault.how === 'states' ? 1 : 100);
  const acts = {
    attach: () => platform.attachDomain?.(harness.call, 'example.com'),
    restore: () => restored(platform, harness.call, one?.ref ?? {}),
  };
  const done = act === undefined ? publish(1, 'one') : acts[act]();
  await expect(done).rejects.toMatchObject({
    code,
    message: expect.stringContaining(says),
    hint: expect.stringContaining(remedy),
    ...(waits && { retryAfterMs: 3_600_000 }),
  });
  expect(standIn.drift).toEqual([]);
  if (waits) expect(standIn.requests.filter((request) => request.step === step)).toHaveLength(1);
}
