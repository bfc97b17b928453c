import { setTimeout as wait } from 'node:timers/promises';
import { type Account, clientOf, startPublish } from '../../support/api-account.ts';
import { get } from '../../support/get.ts';
import { type Random, randomOf, SEED } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import { TOKEN } from '../../support/standins/stand-in.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts, type PlayedPlatform } from '../support/attacked-app.ts';
import { LIES } from '../support/lies.ts';

/** The number of accounts at each platform. An account has at most three uploads open. */
const ACCOUNTS = IS_FULL ? 2 : 1;
/** Options with the consents that each platform requires. */
const PLATFORMS: Readonly<Record<PlayedPlatform, Record<string, true>>> = {
  netlify: {},
  vercel: {},
  'github-pages': { publicFiles: true },
  render: { publicFiles: true },
  heroku: { paymentThere: true },
};
const NAMES = ['netlify', 'vercel', 'github-pages', 'render', 'heroku'] as const satisfies readonly PlayedPlatform[];
const ADDRESS_LIE = 'addresses of this machine';
/** The first lie is told to one of so many requests, of about a dozen that publishing takes. */
const REQUESTS = 9;
/** A publication that is lied to is cancelled after so long. */
const LYING_MS = IS_FULL ? 25_000 : 4_000;
/** Far more than it takes on a busy machine: what is not over by then never is. */
const PATIENCE_MS = 90_000;

/** One account at one platform, with a token of its own: by that it is known there which publication a request is of. */
type Publisher = { account: Account; platform: PlayedPlatform; token: string };

/**
 * Releases are published to platforms that answer what no platform should. Nothing but the right bytes may go live,
 * nothing may be left running, and nobody else's server may be asked.
 */
export const target: Target = {
  name: 'platform answers',
  rounds: { few: 4, many: 150 },
  async prepare(attacked) {
    const accounts = await openAccounts(attacked.app.url, 'publisher', ACCOUNTS * NAMES.length);
    const free = accounts.map((account, number): Publisher => {
      const platform = NAMES[number % NAMES.length] ?? 'netlify';
      return { account, platform, token: `${TOKEN}-${number}` };
    });
    for (const { platform, token } of free) {
      attacked.platforms[platform].admit(token);
      // Render publishes from there.
      attacked.platforms['github-pages'].admit(token);
    }
    // Each of them names addresses in fields of its own: all are lied about, however few the rounds are.
    // Of the others, few rounds are of other ones with every seed.
    const others = randomOf(SEED, 'platform lies').shuffled(Object.keys(LIES).filter((lie) => lie !== ADDRESS_LIE));
    const lies = [...NAMES.map(() => ADDRESS_LIE), ...others];
    let turn = 0;
    return async (random) => {
      const lie = lies[turn++ % lies.length] ?? '';
      while (free.length === 0) await wait(20);
      const publisher = free.shift();
      if (publisher === undefined) return [];
      try {
        return (await publishLiedTo(attacked, publisher, { lie, random })).map(
          (fault) => `${fault} (${publisher.platform}, ${lie})`,
        );
      } finally {
        free.push(publisher);
      }
    };
  },
};

async function publishLiedTo(
  { platforms }: AttackedApp,
  { account, platform, token }: Publisher,
  { lie, random }: { lie: string; random: Random },
): Promise<string[]> {
  const { proxy, port, siteOf } = platforms[platform];
  const client = clientOf(account);
  const options: Record<string, string | true> = { ...PLATFORMS[platform] };
  if (platform === 'render') {
    const github = await client.connections.connect.mutate({ provider: 'github-pages', token });
    options.githubConnectionId = github.id;
  }
  const { id: connectionId } = await client.connections.connect.mutate({ provider: platform, token });
  const name = `Lied to ${random.bytes(6).toString('hex')}`;
  const asked = { name, platform, connectionId, options };
  const { id: deploymentId, slug } = await client.deployments.create.mutate(asked);
  const page = `<h1>${name}</h1>`;
  const isOfAddresses = lie === ADDRESS_LIE;
  const times = isOfAddresses ? Number.POSITIVE_INFINITY : random.pick([1, 2, Number.POSITIVE_INFINITY]);
  const from = isOfAddresses ? 0 : random.below(REQUESTS);
  const told = { lie: LIES[lie] ?? (async () => undefined), from, times, random };
  proxy.lieTo({ token, slug }, told);
  let state: string | null;
  try {
    // A person tests the connection meanwhile, whatever comes of it.
    if (random.chance(0.3)) await client.connections.test.mutate({ connectionId }).catch(() => undefined);
    const { release } = await startPublish(account, { deploymentId }, { 'index.html': page, 'app.js': `// ${name}` });
    state = await endOf(account, release.id, LYING_MS);
    proxy.lieTo({ token, slug }, null);
    if (state === null) {
      await client.releases.cancel.mutate({ releaseId: release.id }).catch(() => undefined);
      state = await endOf(account, release.id, PATIENCE_MS);
    }
  } finally {
    proxy.lieTo({ token, slug }, null);
  }
  const leaks = proxy.takeLeaks();
  if (state === null) return [...leaks, 'a release goes on for ever'];
  if (state !== 'live') return leaks;
  const { host, path } = siteOf(slug);
  const seen = await get(port, host, path);
  return seen.text === page
    ? leaks
    : [...leaks, `a release is live that shows ${seen.status} ${seen.text.slice(0, 80)}`];
}

/** Returns how a release ended; null when it has not within `ms`. */
async function endOf(account: Account, releaseId: string, ms: number): Promise<string | null> {
  for (const giveUpAt = performance.now() + ms; performance.now() < giveUpAt; await wait(250)) {
    const { state } = await clientOf(account).releases.get.query({ releaseId });
    if (['live', 'failed', 'cancelled', 'superseded'].includes(state)) return state;
  }
  return null;
}
