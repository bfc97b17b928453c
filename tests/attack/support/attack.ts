import { type Random, randomOf } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import { type AttackedApp, type ProcessMetrics, startAttackedApp } from './attacked-app.ts';
import { startProbe } from './probe.ts';

/**
 * One kind of attack. `prepare` makes what its rounds share and returns the round; a round makes every choice from its
 * `random` and returns what it saw that no answer may be, with what was sent, or nothing.
 */
export type Target = {
  name: string;
  /** The number of rounds in the gate, and in the full counts. */
  rounds: { few: number; many: number };
  /** Outside the full counts, platforms and DNS providers represent all servers that lie. */
  isFullOnly?: true;
  prepare(attacked: AttackedApp): Promise<Round> | Round;
};
/** `end` runs after all rounds, and tells what none of them could see. */
export type Round = ((random: Random) => Promise<string[]>) & { end?(): Promise<string[]> };

const LANES = 8;
/** Enough to see what is the matter. */
const TOLD_MAX = 5;
const UNCAUGHT = /"level":"error","message":"[^"]*nobody caught/;

export type Outcome = {
  isSameProcess: boolean;
  /** Questions of the probe without the right answer. */
  failedQuestions: string[];
  /** Answers that admit a fault, and errors in the log. */
  faults: string[];
  grown: { heapMiB: number; bufferMiB: number };
  delay: { p99Ms: number; maxMs: number };
  summary: string;
};

/** Attacks a running app while somebody else uses it. `before` is what was measured before the first attack. */
export async function attack(
  attacked: AttackedApp,
  target: Target,
  before: ProcessMetrics,
  seed: string,
): Promise<Outcome> {
  const rounds = IS_FULL ? target.rounds.many : target.rounds.few;
  const logged = attacked.app.output().length;
  const round = await target.prepare(attacked);
  const { pid } = await attacked.readMetrics();
  const probe = startProbe(attacked);
  const seen = await runRounds(target.name, { seed, rounds, round });
  seen.push(...((await round.end?.()) ?? []));
  const { answered, failed } = await probe.stop();
  const after = await attacked.readMetrics().catch(() => null);
  const log = attacked.app.output().slice(logged);
  const grown = {
    heapMiB: mebibytes((after?.heapBytes ?? Number.NaN) - before.heapBytes),
    bufferMiB: mebibytes((after?.bufferBytes ?? Number.NaN) - before.bufferBytes),
  };
  const delay = { p99Ms: after?.p99Ms ?? Number.NaN, maxMs: after?.maxMs ?? Number.NaN };
  return {
    isSameProcess: after?.pid === pid && !UNCAUGHT.test(log),
    failedQuestions: shortened(failed),
    faults: shortened([...seen, ...errorsIn(log)]),
    grown,
    delay,
    summary: `${target.name}: ${rounds} rounds beside ${answered} questions; event loop delay p99 ${delay.p99Ms} ms, at most ${delay.maxMs} ms; ${grown.heapMiB} MiB more on the heap, ${grown.bufferMiB} in buffers`,
  };
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

type Rounds = { seed: string; rounds: number; round: Round };

/** Several rounds at once; each is told by its number, and can be run alone. */
async function runRounds(name: string, { seed, rounds, round }: Rounds): Promise<string[]> {
  const seen: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < rounds) {
      const number = next++;
      const found = await round(randomOf(seed, name, number)).catch((error: unknown) => [String(error)]);
      seen.push(...found.map((fault) => `round ${number}: ${fault}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return seen;
}

function errorsIn(log: string): string[] {
  return log.split('\n').filter((line) => line.includes('"level":"error"'));
}

function shortened(found: readonly string[]): string[] {
  const told = found.slice(0, TOLD_MAX).map((text) => text.slice(0, 800));
  return found.length > TOLD_MAX ? [...told, `and ${found.length - TOLD_MAX} more`] : told;
}

let running: Promise<{ attacked: AttackedApp; before: ProcessMetrics }> | undefined;

/** The app that all attacks share; it starts anew after one that has ended it. */
export async function sharedApp(): Promise<{ attacked: AttackedApp; before: ProcessMetrics }> {
  const known = await running;
  if (known !== undefined && known.attacked.app.child.exitCode === null) return known;
  await endSharedApp();
  running = startAttackedApp().then(async (attacked) => ({ attacked, before: await attacked.readMetrics() }));
  return running;
}

export async function endSharedApp(): Promise<void> {
  const { app, platforms, nameServer, dnsProvider, updateServer, stripe, authority } = (await running)?.attacked ?? {};
  running = undefined;
  await app?.[Symbol.asyncDispose]();
  for (const platform of Object.values(platforms ?? {})) await platform[Symbol.asyncDispose]();
  await dnsProvider?.[Symbol.asyncDispose]();
  await updateServer?.[Symbol.asyncDispose]();
  await stripe?.[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
  await nameServer?.[Symbol.asyncDispose]();
}
