import { type Account, clientOf, type LiveSite, openAccount, publishSite } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { createNeighbour, WORKS } from '../support/neighbour.ts';
import { createPersonCalls } from '../support/person-calls.ts';
import { type GreedyAccount, rightAct } from '../support/right-acts.ts';
import { openRowCount } from '../support/row-count.ts';

/** Each round of so many is the neighbour's, who does one piece of work after the other. */
const NEIGHBOUR_EVERY = 8;
/** In the gate the neighbour does each piece of work once. */
const ROUNDS = { few: 25, many: 2_000 };
const SITES = IS_FULL ? ['One', 'Two', 'Three'] : ['One'];
const PATIENCE_MS = 60_000;
/**
 * The average of an act: a release leaves about thirty rows, with its events, jobs and steps, and most calls leave
 * none.
 */
const ROWS_AN_ACT = 10;
const BYTES_AN_ACT = 16 * 1024;
/** Two accounts that are never idle come to less: what they may do is limited by the minute and by the hour. */
const ROWS_A_MINUTE = 6_000;
const BYTES_A_MINUTE = 24 * 1024 ** 2;
const MINUTE_MS = 60_000;

async function openGreedy(attacked: AttackedApp, account: Account): Promise<GreedyAccount> {
  const sites: LiveSite[] = [];
  for (const name of SITES) {
    sites.push(await publishSite(account, `${name} of ${account.username}`, { 'index.html': name }));
  }
  const [first] = sites;
  const { uploadId } = await clientOf(account).releases.prepare.mutate({ deploymentId: first?.deploymentId ?? '' });
  const known = {
    deploymentId: sites.map(({ deploymentId }) => deploymentId),
    releaseId: sites.map(({ releaseId }) => releaseId),
    uploadId: [uploadId],
  };
  return { attacked, account, sites, known, calls: createPersonCalls(PATIENCE_MS) };
}

/**
 * One account, then two, do all that they may, as often as they can, while a neighbour works: everything of the
 * neighbour's succeeds in its turn, and what the others leave behind is within its figures. How long the neighbour's work
 * takes is judged in the full counts alone, which have the machine for themselves.
 */
export const target: Target = {
  name: 'shares',
  rounds: ROUNDS,
  async prepare(attacked) {
    const { app } = attacked;
    const accounts = await openAccounts(app.url, 'greedy', 2);
    const greedy = await Promise.all(accounts.map((account) => openGreedy(attacked, account)));
    const count = await openRowCount(app, await Promise.all(accounts.map(idOf)));
    const neighbour = await createNeighbour(attacked, await openAccount(app.url, 'neighbour'), count);
    if (IS_FULL) for (let alone = 0; alone < 5 * WORKS; alone += 1) await neighbour.workNext('alone');
    const before = await count.now();
    const begunAt = performance.now();
    const rounds = IS_FULL ? ROUNDS.many : ROUNDS.few;
    let turn = 0;
    const round = async (random: Random): Promise<string[]> => {
      turn += 1;
      if (turn % NEIGHBOUR_EVERY === 0) return neighbour.workNext('beside');
      const who = turn < rounds / 2 ? greedy[0] : random.pick(greedy);
      return who === undefined ? [] : rightAct(random, who);
    };
    const end = async (): Promise<string[]> => {
      const after = await count.now();
      const minutes = IS_FULL ? (performance.now() - begunAt) / MINUTE_MS : Number.NaN;
      const left = { rows: after.rows - before.rows, bytes: after.bytes - before.bytes };
      process.stdout.write(
        `shares: ${turn} acts left ${left.rows} rows and ${left.bytes} bytes. ${neighbour.told()}\n`,
      );
      await count[Symbol.asyncDispose]();
      return [
        ...greedy.flatMap(({ calls }) => calls.faults),
        ...(left.rows > ROWS_AN_ACT * turn ? [`${turn} acts left ${left.rows} rows`] : []),
        ...(left.bytes > BYTES_AN_ACT * turn ? [`${turn} acts left ${left.bytes} bytes`] : []),
        ...(left.rows > ROWS_A_MINUTE * minutes ? [`${left.rows} rows are left after ${minutes} minutes`] : []),
        ...(left.bytes > BYTES_A_MINUTE * minutes ? [`${left.bytes} bytes are left after ${minutes} minutes`] : []),
        ...(IS_FULL ? neighbour.slowWorks() : []),
      ];
    };
    return Object.assign(round, { end });
  },
};

async function idOf(account: Account): Promise<string> {
  return (await clientOf(account).user.get.query()).id;
}
