import type { Target } from '../support/attack.ts';
import { oddHead, UPGRADE } from '../support/requests.ts';
import { faultIn, sendBytes } from '../support/wire.ts';

/** Upgrades with odd Host values, keys, versions and addresses, some with bytes right behind them. */
export const target: Target = {
  name: 'upgrades',
  rounds: { few: 100, many: 20_000 },
  async prepare(attacked) {
    const { ports } = await attacked.readMetrics();
    return async (random) => {
      const head = oddHead(random, attacked, {
        headers: UPGRADE,
        method: random.chance(0.95) ? 'GET' : 'POST',
        target: random.pick(['/api/trpc', '/api/trpc?connectionParams=1', '/api/trpc/', '/']),
      });
      const pieces = random.chance(0.3) ? [head, random.bytes(1 + random.below(300))] : [head];
      const fault = faultIn(await sendBytes(random.pick(ports), pieces, random.chance(0.2) ? 'reset' : 'quiet'));
      return fault === null ? [] : [`${fault} came for ${JSON.stringify(head.toString('latin1'))}`];
    };
  },
};
