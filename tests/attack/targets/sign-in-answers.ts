import { setTimeout as wait } from 'node:timers/promises';
import { type Account, clientOf } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import { TOKEN } from '../../support/standins/stand-in.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { LIES } from '../support/lies.ts';

const PLATFORMS = ['netlify', 'vercel', 'github-pages', 'heroku'] as const;
/** Each may have 120 tests of connections an hour, of which a round takes four. */
const ACCOUNTS = 8;
/** The request that turns a code into a token, and the one that asks whose it is. */
const REQUESTS = 2;
const NAMES = Object.keys(LIES);

type Person = { account: Account; platform: (typeof PLATFORMS)[number]; code: string };

/**
 * People sign in at platforms that answer what no authorization server should. Nobody but the platform may be asked, no
 * secret may come back, and once it tells the truth again the same person signs in.
 */
export const target: Target = {
  name: 'sign-in answers',
  rounds: { few: 4, many: 120 },
  isFullOnly: true,
  async prepare(attacked) {
    const accounts = await openAccounts(attacked.app.url, 'signing in', ACCOUNTS);
    const free = accounts.map((account, number): Person => {
      const platform = PLATFORMS[number % PLATFORMS.length] ?? 'netlify';
      const code = `${TOKEN}-signed-${number}`;
      attacked.platforms[platform].admit(code);
      return { account, platform, code };
    });
    let turn = 0;
    return async (random) => {
      const lie = NAMES[turn++ % NAMES.length] ?? '';
      while (free.length === 0) await wait(20);
      const person = free.shift();
      if (person === undefined) return [];
      try {
        return (await signInLiedTo(attacked, person, { lie, random })).map(
          (fault) => `${fault} (${person.platform}, ${lie})`,
        );
      } finally {
        free.push(person);
      }
    };
  },
};

async function signInLiedTo(
  { platforms }: AttackedApp,
  { account, platform, code }: Person,
  { lie, random }: { lie: string; random: Random },
): Promise<string[]> {
  const { proxy } = platforms[platform];
  const who = { token: code, slug: 'no site of its own' };
  const told = { lie: LIES[lie] ?? (async () => undefined), from: random.below(REQUESTS), random };
  proxy.lieTo(who, { ...told, times: 1 });
  const answer = await signIn(account, platform, code).then(
    (connection) => JSON.stringify(connection),
    (error: unknown) => String(error),
  );
  proxy.lieTo(who, { ...told, times: 0 });
  // The connection that our own client keeps may be closed just then, after the seconds that a lie has lasted.
  const honest = await signIn(account, platform, code)
    .catch(() => signIn(account, platform, code))
    .catch((error: unknown) => String(error));
  proxy.lieTo(who, null);
  const leaks = proxy.takeLeaks();
  if (answer.includes(code)) leaks.push('a token came back');
  const isConnected = typeof honest === 'object' && honest.state === 'ok' && honest.identity !== '';
  return isConnected ? leaks : [...leaks, `nobody can sign in any more: ${JSON.stringify(honest)}`];
}

async function signIn(account: Account, provider: Person['platform'], code: string) {
  const { connections } = clientOf(account);
  const { url } = await connections.authorize.mutate({ provider });
  const state = new URL(url).searchParams.get('state') ?? '';
  return connections.finishAuthorization.mutate({ provider, code, state });
}
