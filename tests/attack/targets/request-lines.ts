import type { Random } from '../../support/random.ts';
import type { Target } from '../support/attack.ts';
import { oddText } from '../support/odd-values.ts';
import { oddHead } from '../support/requests.ts';
import { faultIn, sendBytes } from '../support/wire.ts';

function oddBody(random: Random): Buffer[] {
  if (random.chance(0.6)) return [];
  if (random.chance(0.5)) return [Buffer.from(oddText(random, 20_000))];
  const size = random.pick(['5', '5', 'ffffffffffffffff', '-1', '0x5', '5;a=b', '']);
  return random.many(1, 3, () => Buffer.from(`${size}\r\nhello\r\n`)).concat(Buffer.from('0\r\n\r\n'));
}

/** Request lines, headers and Host values at every port on which the process listens. */
export const target: Target = {
  name: 'request lines',
  rounds: { few: 200, many: 20_000 },
  async prepare(attacked) {
    const { ports } = await attacked.readMetrics();
    return async (random) => {
      const port = random.pick(ports);
      const pieces = random.many(1, 3, () => [oddHead(random, attacked), ...oddBody(random)]).flat();
      const fault = faultIn(await sendBytes(port, pieces, random.chance(0.1) ? 'reset' : 'quiet'));
      return fault === null ? [] : [`${fault} came for ${JSON.stringify(Buffer.concat(pieces).toString('latin1'))}`];
    };
  },
};
