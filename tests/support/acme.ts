import { rootCertificates } from 'node:tls';
import { waitFor } from '../../server/boot/providers.ts';
import { createAcmeAuthority } from '../../server/domains/certificates/authority/acme/client.ts';
import {
  type AuthorityCall,
  AuthorityError,
  type CertificateAuthority,
  type OrderRequest,
} from '../../server/domains/certificates/authority/authority.ts';
import { answerTo, type ChallengeSolver, challengeOf } from '../../server/domains/certificates/authority/challenges.ts';
import type { Problem } from '../../server/domains/certificates/authority/problems.ts';
import { createRequest, makeKey } from '../../server/domains/certificates/authority/x509.ts';
import { createEgress } from '../../server/lib/egress/egress.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import { startPowerDns, startUnbound, stubOf } from './name-servers.ts';
import type { Eab, Pebble } from './pebble.ts';

/** Ways out that reach this machine and trust the API of a Pebble. */
export function acmeEgress(apiCa: string) {
  const allow = ['127.0.0.0/8', '::1/128'].map(parseRange).filter((range) => range !== null);
  return createEgress({ allow, ca: [...rootCertificates, apiCa] });
}

/** The product's client of this Pebble. */
export function acmeClient(
  { directoryUrl, apiCa }: Pick<Pebble, 'directoryUrl' | 'apiCa'>,
  eab?: Eab,
  /** Called at each request. */
  silenceMs = (): number | undefined => undefined,
) {
  const egress = acmeEgress(apiCa);
  const request: typeof egress.request = (url, asked, read) => {
    const ms = silenceMs();
    return egress.request(url, ms === undefined ? asked : { ...asked, silenceMs: ms }, read);
  };
  return createAcmeAuthority({
    directoryUrl,
    eab,
    egress: { request },
    now: () => new Date(),
    wait: (_ms, signal) => waitFor(20, signal),
  });
}

const NEVER = new AbortController().signal;

/** An account of its own at this authority. */
export async function openAccount(authority: CertificateAuthority): Promise<AuthorityCall> {
  const { pem: accountKey } = await makeKey();
  return { accountKey, accountUrl: await authority.register(accountKey, NEVER), signal: NEVER };
}

export type Issued = { chain: string; key: string };

/** Orders, answers with this solver, and has it signed. Throws `AuthorityError` when a name is not validated. */
export async function issueWith(
  authority: CertificateAuthority,
  call: AuthorityCall,
  solver: ChallengeSolver,
  request: OrderRequest & { names: string[] },
): Promise<Issued> {
  const url = await authority.order(call, request);
  await validate(authority, call, solver, url);
  const { pem: key } = await makeKey();
  return { chain: await authority.finish(call, url, await createRequest(request.names, key)), key };
}

export async function validate(
  authority: CertificateAuthority,
  call: AuthorityCall,
  solver: ChallengeSolver,
  url: string,
): Promise<void> {
  const order = await authority.read(call, url);
  const answers = (order?.authorizations ?? []).flatMap((authorization) => {
    const challenge = challengeOf(authorization, solver.type);
    return challenge === null ? [] : [answerTo(authorization, challenge, call.accountKey)];
  });
  await solver.put(answers, call.signal);
  for (const { challengeUrl } of answers) await authority.answer(call, challengeUrl);
  const settled = await authority.awaitValidation(call, url);
  await solver.remove(answers, call.signal);
  const failed = settled?.authorizations
    .flatMap(({ challenges }) => challenges)
    .find(({ problem }) => problem !== null)?.problem;
  if (failed) throw new AuthorityError(failed);
}

/** Returns the problem that an authority answers; fails when there is none. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AuthorityError) return error.problem;
    throw error;
  }
  throw new Error('The authority had nothing against it.');
}

/** A zone whose names lead to this machine, behind a resolver, and a solver that writes into it. */
export async function startZone(zone: string) {
  const authority = await startPowerDns();
  await authority.createZone(zone, { [`${zone} A`]: ['127.0.0.1'], [`*.${zone} A`]: ['127.0.0.1'] });
  const resolver = await startUnbound({ stubs: { [zone]: [stubOf(authority)] } });
  return {
    authority,
    resolver,
    dnsServer: `${resolver.address}:${resolver.port}`,
    async [Symbol.asyncDispose]() {
      await resolver[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}
