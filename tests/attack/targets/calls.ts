import { REST_CALLS } from '../../../server/http/rest.ts';
import { type Account, clientOf } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import { TOKEN } from '../../support/standins/stand-in.ts';
import type { Target } from '../support/attack.ts';
import type { AttackedApp } from '../support/attacked-app.ts';
import { faultOf } from '../support/call.ts';
import { type OddCall, oddCall, oddInput } from '../support/odd-calls.ts';

/** Ids that are the attacker's own, by the names of the fields that take them: what is found is worked on. */
async function ownIds(account: Account): Promise<Record<string, string>> {
  const client = clientOf(account);
  const { id: deploymentId } = await client.deployments.create.mutate({ name: 'Called', platform: 'built-in' });
  const { uploadId } = await client.releases.prepare.mutate({ deploymentId });
  const { id: connectionId } = await client.connections.connect.mutate({ provider: 'netlify', token: TOKEN });
  return { deploymentId, uploadId, connectionId };
}

async function signedIn({ callers }: AttackedApp) {
  return Promise.all(
    callers.map(async (account) => {
      const { secret } = await clientOf(account).tokens.create.mutate({
        name: 'attack',
        scopes: ['read', 'write'],
        currentPassword: account.password,
      });
      return { known: await ownIds(account), tokens: [account.token, secret] };
    }),
  );
}

type Known = Readonly<Record<string, string>>;

/** A call of a procedure, or of the REST path that leads to one, with a body as that takes it or nearly so. */
export function anyCall(random: Random, attacked: Pick<AttackedApp, 'procedures'>, known: Known): OddCall {
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
  rounds: { few: 400, many: 8_000 },
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
