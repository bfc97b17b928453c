import { setImmediate as turn } from 'node:timers/promises';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';

const ALL_BYTES = 32 * 1024 * 1024;
const CHUNK = new Uint8Array(64 * 1024).fill(0x20);

/** Answers of other companies that take all the room there is, until they are let go. */
export async function fillAnswerBudget() {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield CHUNK;
    await held;
  }
  const all = Promise.all(Array.from({ length: ALL_BYTES / CHUNK.length }, () => textWithinBudget(slow())));
  await turn();
  return {
    async [Symbol.asyncDispose]() {
      letGo();
      await all;
    },
  };
}
