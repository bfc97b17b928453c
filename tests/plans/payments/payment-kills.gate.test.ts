import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { newId } from '../../../server/database/mongo.ts';
import { takePaymentNotice } from '../../../server/plans/payments/customer.ts';
import { takeOverJobs } from '../../../server/queue/take-over.ts';
import { program } from '../../support/program.ts';
import { retryUntilAvailable } from '../../support/retry-until-available.ts';
import { IS_FULL } from '../../support/size.ts';
import { pay } from '../../support/standins/stripe/state.ts';
import { createStripeApp, type StripeApp } from '../../support/stripe-app.ts';

const KILLS = 20;
/** The stand-in learns its description at the first answers, which takes long on a busy machine. */
const PATIENCE_MS = IS_FULL ? 1_800_000 : 90_000;
/** Stripe has made the page, and nobody here knows of it yet. */
const WORST = 'POST /v1/checkout/sessions';

type Instance = { name: string; child: ChildProcess; ended: Promise<unknown>; nextLine(): Promise<string | null> };

function startInstance(app: StripeApp, accountId: string, killedAt: string): Instance {
  const name = `payer-${newId()}`;
  const words = [inject('mongoUri'), mongoose.connection.name, name, app.stripe.apiUrl, accountId, killedAt];
  const child = spawn(process.execPath, [...program('payment-instance'), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  // What it said last is read before its end is known.
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return {
    name,
    child,
    ended,
    async nextLine() {
      if (said.length === 0) await Promise.race([once(lines, 'line'), ended]);
      return said.shift() ?? null;
    },
  };
}

/**
 * Somebody buys a plan at an instance that is killed at this step. They click again where they were led nowhere, Stripe
 * tells until it is answered, and another instance, which took the same notice meanwhile, goes on. Returns how many steps
 * that instance took in all; null where it was killed.
 */
async function buyAt(app: StripeApp, killedAt: string): Promise<number | null> {
  const ada = await app.person();
  const instance = startInstance(app, ada.user.id, killedAt);
  const told = await instance.nextLine();
  const goOn = async () => {
    if (instance.child.signalCode !== null) await takeOverJobs([instance.name], app.providers.log, 10_000);
  };
  await goOn();
  const again = () => ada.caller.payments.checkout({ plan: 'PRO' });
  const url = told ?? (await retryUntilAvailable(again)).url;
  const session = pay(app.state, app.pageOf(url));
  const notice = app.signed('checkout.session.completed', session);
  const take = () => retryUntilAvailable(() => takePaymentNotice(app.providers, notice));
  const { body, signature } = notice;
  if (told !== null) instance.child.stdin?.write(`${JSON.stringify({ body: body.toString('base64'), signature })}\n`);

  await take();
  await app.jobs.drain();
  await instance.ended;
  await goOn();
  await take();
  await app.jobs.drain();

  const message = `killed at ${killedAt}`;
  const steps = await instance.nextLine();
  expect(instance.child.signalCode, message).toBe(steps === null ? 'SIGKILL' : null);
  const { customer } = session;
  const own = <T extends { customer?: unknown }>(all: ReadonlyMap<string, T>) =>
    [...all.values()].filter((one) => one.customer === customer);
  expect(own(app.state.charges), message).toHaveLength(1);
  expect(own(app.state.subscriptions), message).toMatchObject([{ status: 'active' }]);
  expect(own(app.state.sessions), message).toMatchObject([{ status: 'complete' }]);
  const { endsAt, ...subscription } = await ada.caller.subscription.get();
  expect(subscription, message).toMatchObject({ plan: 'PRO', status: 'active', renews: true });
  expect(await PaymentModel.find({ accountId: ada.user.id }), message).toMatchObject([
    { state: 'paid', amountCents: 2900, endsAt },
  ]);
  return steps === null ? null : Number(steps);
}

test(
  `of an instance that is killed ${IS_FULL ? `${KILLS} times` : ''} between two steps of a payment, nobody pays without a plan, has one twice or is charged twice`,
  async () => {
    await using app = await createStripeApp();
    if (!IS_FULL) return expect(await buyAt(app, WORST)).toBeNull();
    let steps = (await buyAt(app, 'the end')) ?? 0;
    for (let kills = 0; kills < KILLS; ) {
      expect(steps).toBeGreaterThan(KILLS);
      const ended = await buyAt(app, String(1 + Math.floor((kills * steps) / KILLS)));
      if (ended === null) kills += 1;
      // On a busy machine some steps are repeated: this one took fewer, and came to its end before it was killed.
      else steps = ended;
    }
  },
  PATIENCE_MS,
);
