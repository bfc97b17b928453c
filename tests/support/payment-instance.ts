import { once } from 'node:events';
import { createInterface } from 'node:readline';
import mongoose from 'mongoose';
import { jobHandlers } from '../../server/boot/jobs.ts';
import { connectMongo } from '../../server/database/mongo.ts';
import type { Egress } from '../../server/lib/egress/egress.ts';
import { takePaymentNotice } from '../../server/plans/payments/customer.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from './app.ts';
import { testEgress } from './platforms.ts';
import { retryUntilAvailable } from './retry-until-available.ts';
import { stripeOf } from './stripe-access.ts';

/**
 * An instance of the application in a process of its own that takes a payment by a stand-in of Stripe, and ends itself by
 * SIGKILL in the middle: `payment-instance.ts {mongo uri} {database} {name} {Stripe's address} {account} {step}`. It says
 * where to pay, waits for the notice of Stripe, does what that asks for and says how many steps all of it took.
 *
 * A step is a command to the database or a request to Stripe. It ends itself ahead of the one of this number, or behind
 * the first one of this name, as `POST /v1/checkout/sessions`.
 */
const [mongoUri = '', databaseName = '', name = '', apiUrl = '', accountId = '', killedAt = ''] = process.argv.slice(2);
let steps = 0;
let last = '';

/** The signal comes at once: nothing of the step is sent. */
function meet(step: string): void {
  steps += 1;
  if (String(steps) === killedAt || last === killedAt) process.kill(process.pid, 'SIGKILL');
  last = step;
}

function watched(egress: Egress): Egress {
  return {
    ...egress,
    request(address, request, read) {
      meet(`${request.method} ${new URL(address).pathname}`);
      return egress.request(address, request, read);
    },
  };
}

const connect = mongoose.connect.bind(mongoose);
mongoose.connect = (uri, options) => connect(uri, { ...options, monitorCommands: true });
await connectMongo(mongoUri, { databaseName, processName: name });
const app = await createTestApp();
app.providers.payments = stripeOf(app, apiUrl, watched(testEgress()));
await app.providers.payments.hosted?.prepare();
const worker = createWorker(app.providers, { handlers: jobHandlers, name });
const { payments } = app.callerOf(app.context({ kind: 'account', accountId, sessionId: name }));
const lines = createInterface({ input: process.stdin });

mongoose.connection.getClient().on('commandStarted', ({ commandName }) => meet(commandName));
steps = 0;
console.log((await retryUntilAvailable(() => payments.checkout({ plan: 'PRO' }))).url);
const [sent] = await once(lines, 'line');
const { body, signature } = JSON.parse(String(sent));
await retryUntilAvailable(() => takePaymentNotice(app.providers, { body: Buffer.from(body, 'base64'), signature }));
await worker.drain();
console.log(steps);
process.exit(0);
