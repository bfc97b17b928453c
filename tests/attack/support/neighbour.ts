import {
  type Account,
  clientOf,
  type LiveSite,
  publishSite,
  releaseEnd,
  startPublish,
} from '../../support/api-account.ts';
import { followEvents } from '../../support/event-client.ts';
import { get } from '../../support/get.ts';
import type { AttackedApp } from './attacked-app.ts';
import type { RowCount } from './row-count.ts';

/** The number of releases that are published at once. As many more may have begun while one of them ended. */
const BEGUN_BEFORE_MAX = 8;
/** Nothing takes more than three times as long as it does alone; what takes less than this is quick whatever it is beside. */
const SLOWER_MAX = 3;
const QUICK_MS = 150;

type Work = (who: { attacked: AttackedApp; account: Account; site: LiveSite; count: RowCount }) => Promise<string[]>;

/** Each answers what went wrong, or throws what refused it. */
const WORK: Readonly<Record<string, Work>> = {
  async 'sign in'({ account }) {
    const { username, password } = account;
    const { accessToken } = await clientOf(account).auth.login.mutate({ username, password });
    // Of many sessions the oldest gives way: the work goes on in the newest.
    account.token = accessToken;
    return [];
  },
  async read({ account, site: { deploymentId, releaseId } }) {
    const client = clientOf(account);
    await Promise.all([
      client.deployments.list.query({}),
      client.releases.list.query({ deploymentId }),
      client.releases.get.query({ releaseId }),
      client.subscription.allowance.query(),
    ]);
    return [];
  },
  async publish({ account, site: { deploymentId }, count }) {
    const { release } = await startPublish(account, { deploymentId }, { 'index.html': `<h1>${Math.random()}</h1>` });
    const state = await releaseEnd(account, release.id);
    const before = await count.begunBefore(release.id);
    return [
      ...(state === 'live' ? [] : [`The neighbour's release ended ${state}.`]),
      ...(before <= BEGUN_BEFORE_MAX ? [] : [`${before} releases were begun before the neighbour's.`]),
    ];
  },
  async listen({ attacked, account }) {
    await using events = followEvents({ url: attacked.app.url, origin: attacked.app.url, token: account.token });
    await events.until(() => events.seen.length > 0);
    return [];
  },
  async visit({ attacked: { app }, site: { slug } }) {
    const { status } = await get(app.sitesPort, `${slug}.localhost:${app.sitesPort}`, '/');
    return status === 200 ? [] : [`The neighbour's site answered ${status}.`];
  },
};

/** The number of different pieces of work. */
export const WORKS = Object.keys(WORK).length;

type When = 'alone' | 'beside';
const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Somebody who works in the same product, one piece of work after the other. */
export async function createNeighbour(attacked: AttackedApp, account: Account, count: RowCount) {
  const site = await publishSite(account, 'Neighbour', { 'index.html': 'Mine' });
  const names = Object.keys(WORK);
  const times: Record<When, Record<string, number[]>> = { alone: {}, beside: {} };
  let last: Promise<unknown> = Promise.resolve();
  let turn = 0;

  async function work(name: string, when: When): Promise<string[]> {
    const begunAt = performance.now();
    const found = await WORK[name]?.({ attacked, account, site, count }).catch((error: unknown) => [String(error)]);
    times[when][name] = [...(times[when][name] ?? []), performance.now() - begunAt];
    return (found ?? []).map((fault) => `${name} of the neighbour: ${fault}`);
  }

  return {
    workNext(when: When): Promise<string[]> {
      const name = names[turn++ % names.length] ?? '';
      const next = last.then(() => work(name, when));
      last = next;
      return next;
    },
    told: (): string =>
      names
        .map((name) => [name, medianOf(times.alone[name] ?? []), medianOf(times.beside[name] ?? [])] as const)
        .map(([name, alone, beside]) => `${name}: ${Math.round(beside)} ms, alone ${Math.round(alone)} ms`)
        .join('; '),
    slowWorks: (): string[] =>
      names.flatMap((name) => {
        const [alone, beside] = [medianOf(times.alone[name] ?? []), medianOf(times.beside[name] ?? [])];
        const isSlow = beside > Math.max(SLOWER_MAX * alone, QUICK_MS);
        return isSlow ? [`${name} of the neighbour takes ${beside} ms, and ${alone} ms alone`] : [];
      }),
  };
}
