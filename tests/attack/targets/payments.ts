import { TRPCClientError } from '@trpc/client';
import Stripe from 'stripe';
import { licenseKeyOf } from '../../../routers/schemas/license-key.ts';
import { clientOf } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import { make } from '../../support/standins/stripe/objects.ts';
import { SECRET_KEY, WEBHOOK_SECRET } from '../../support/standins/stripe/secrets.ts';
import type { Target } from '../support/attack.ts';
import { openAccounts } from '../support/attacked-app.ts';

const signer = new Stripe(SECRET_KEY).webhooks;
/** Stripe's own tolerance, and a little. */
const TOO_OLD_SECONDS = 310;
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

type Notice = { body: string; signature: string };

/** Returns a notice that only Stripe could have sent, spoiled in one of the ways that an attacker would try. */
function forged(random: Random, payload: string): Notice {
  const sign = (fields: { secret?: string; timestamp?: number } = {}) =>
    signer.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, ...fields });
  const old = Math.floor(Date.now() / 1000) - TOO_OLD_SECONDS - random.below(100_000);
  return random.pick<() => Notice>([
    () => ({ body: payload, signature: '' }),
    () => ({ body: payload, signature: sign({ secret: `whsec_${random.bytes(12).toString('hex')}` }) }),
    () => ({ body: payload, signature: sign({ timestamp: old }) }),
    () => ({ body: payload.replace('paid', 'PAID'), signature: sign() }),
    () => ({ body: `${payload} `, signature: sign() }),
    () => ({ body: payload, signature: sign().replace('v1=', 'v0=') }),
    () => ({ body: payload, signature: sign().replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) + 1}`) }),
    () => ({ body: payload, signature: `t=1,${'v1=0,'.repeat(random.below(500))}` }),
    () => ({ body: random.bytes(random.below(2_000)).toString('latin1'), signature: sign() }),
  ])();
}

/** An account has 600 calls a minute. */
function unlessTooMany(error: unknown): null {
  if (error instanceof TRPCClientError && error.data?.code === 'rate_limited') return null;
  throw error;
}

/** Notices that Stripe has not sent, prices that a browser sends along, payments of others, and keys that are guessed. */
export const target: Target = {
  name: 'payments',
  rounds: { few: 60, many: 10_000 },
  async prepare({ app: { url }, stripe }) {
    const [ada, bob] = await openAccounts(url, 'payer', 2);
    if (ada === undefined || bob === undefined) throw new Error('Two accounts were opened.');
    const { url: checkout } = await clientOf(ada).payments.checkout.mutate({ plan: 'PRO' });
    const session = stripe.state.sessions.get(checkout.split('/').at(-1) ?? '');
    if (session === undefined) throw new Error('The page to pay on was opened at Stripe.');
    const paymentId = String(session.success_url).slice(-20);
    const paid = { ...session, status: 'complete', payment_status: 'paid' };
    const payload = JSON.stringify(make('event', { type: 'checkout.session.completed', data: { object: paid } }));

    async function call(path: string, body: string, headers: Record<string, string>): Promise<number> {
      const type = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}${path}`, { method: 'POST', body, headers: { ...type, ...headers } });
      await answer.arrayBuffer();
      return answer.status;
    }
    const procedure = (name: string, input: object, token: string) =>
      call(`/api/trpc/${name}`, JSON.stringify({ json: input }), { authorization: `Bearer ${token}` });
    /** Refused, or told to come back later: a busy app is no fault. */
    const unless = (allowed: readonly number[], status: number, what: string): string[] =>
      [...allowed, 429, 503].includes(status) ? [] : [`${status} came for ${what}`];

    return async (random) => {
      const act = random.pick(['forged', 'signed', 'price', 'foreign', 'key'] as const);
      if (act === 'forged') {
        const { body, signature } = forged(random, payload);
        const status = await call('/api/payments/webhook', body, { 'stripe-signature': signature });
        return unless([400, 413], status, `a forged notice: ${signature.slice(0, 200)}`);
      }
      if (act === 'signed') {
        // Its words are not believed: Stripe is asked, where nothing was paid.
        const signature = signer.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
        await call('/api/payments/webhook', payload, { 'stripe-signature': signature });
        const found = await clientOf(ada).payments.get.query({ paymentId }).catch(unlessTooMany);
        return found === null || found.state === 'pending' ? [] : [`${found.state} is a payment that was never made`];
      }
      if (act === 'price') {
        const price = random.pick([
          { amountCents: 1 },
          { price: 'price_1' },
          { currency: 'vnd' },
          { creditCents: 2_900 },
        ]);
        return unless([400], await procedure('payments.checkout', { plan: 'PRO', ...price }, ada.token), 'a price');
      }
      if (act === 'foreign') {
        const input = encodeURIComponent(JSON.stringify({ json: { paymentId } }));
        const seen = await fetch(`${url}/api/trpc/payments.get?input=${input}`, {
          headers: { authorization: `Bearer ${bob.token}` },
        });
        await seen.arrayBuffer();
        const answered = await procedure('payments.answerTest', { paymentId, answer: 'pay' }, bob.token);
        return [seen.status, answered].flatMap((status) => unless([404], status, 'a payment of another account'));
      }
      const symbols = Array.from({ length: 24 }, () => SYMBOLS[random.below(SYMBOLS.length)]).join('');
      const guessed = await procedure('licenses.redeem', { key: licenseKeyOf(symbols) }, bob.token);
      return unless([404], guessed, 'a key that was guessed');
    };
  },
};
