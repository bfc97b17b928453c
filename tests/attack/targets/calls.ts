import { REST_CALLS } from '../../../server/http/rest.ts';
import { clientOf } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import type { Target } from '../support/attack.ts';
import type { AttackedApp } from '../support/attacked-app.ts';
import { faultOf } from '../support/call.ts';
import { type OddCall, oddCall, oddInput } from '../support/odd-calls.ts';
import { ID_FIELDS } from '../support/own-ids.ts';
import type { KnownIds } from '../support/surface.ts';

async function signedIn(attacked: AttackedApp) {
  const callers = await Promise.all(
    attacked.callers.map(async ({ own, ...account }) => {
      const { secret } = await clientOf(account).tokens.create.mutate({
        name: 'attack',
        scopes: ['read', 'write'],
        currentPassword: account.password,
      });
      return { own, tokens: [account.token, secret] };
    }),
  );
  return callers.map(({ own, tokens }) => {
    const others = callers.filter((caller) => caller.own !== own);
    const known = Object.fromEntries(
      ID_FIELDS.map((field) => [field, [own[field], ...others.map((other) => other.own[field])]]),
    );
    return { known, tokens };
  });
}

/** A call of a procedure, or of the REST path that leads to one, with a body as that takes it or nearly so. */
export function anyCall(random: Random, attacked: Pick<AttackedApp, 'procedures'>, known: KnownIds): OddCall {
  const call = oddCall(random, attacked, known);
  const { path, method, procedure } = random.pick(REST_CALLS);
  const called = attacked.procedures.find((one) => one.path === procedure);
  if (called === undefined || random.chance(0.8)) return call;
  const isBare = random.chance(0.8);
  return {
    path,
    method: random.chance(0.9) ? method.toUpperCase() : call.method,
    headers: isBare ? { 'content-type': 'application/json' } : call.headers,
    body: isBare ? JSON.stringify(oddInput(random, called, known).json) : call.body,
  };
}

/** Every procedure of the router and every REST call: inputs, annotations, batches, types of bodies, broken off or not. */
export const target: Target = {
  name: 'calls',
  rounds: { few: 40, many: 8_000 },
  async prepare(attacked) {
    const callers = await signedIn(attacked);
    return async (random) => {
      const { known, tokens } = random.pick(callers);
      const call = anyCall(random, attacked, known);
      if (random.chance(0.8)) call.headers.authorization = `Bearer ${random.pick(tokens)}`;
      const abortAfterMs = random.chance(0.1) ? random.below(20) : undefined;
      return faultOf(attacked.app.url, { ...call, abortAfterMs });
    };
  },
};
