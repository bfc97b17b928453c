import { setTimeout as wait } from 'node:timers/promises';
import { clientOf } from '../../support/api-account.ts';
import { IS_FULL } from '../../support/size.ts';
import { handshake } from '../../support/tls-visitor.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { AUTHORITY_LIES } from '../support/authority-lies.ts';
import { proveOwn } from '../support/own-ids.ts';
import { createPersonCalls } from '../support/person-calls.ts';

const ACCOUNTS = IS_FULL ? 4 : 2;
/** The first lie is told to one of so many requests, of a dozen that an order takes. */
const REQUESTS = 9;
/** An order that is lied to is left after so long. */
const LYING_MS = IS_FULL ? 25_000 : 3_000;
const PATIENCE_MS = 30_000;
/** Eight rounds at once look for four accounts, each of which has 600 calls a minute. */
const LOOK_MS = 500;
/** The limit of the texts that a person is shown about a certificate, whatever its authority has sent. */
const SHOWN_MAX = 30_000;

/**
 * Certificates are ordered for proved domains of an authority that answers what none should. Nothing is served that is not
 * of the name, what the authority says is kept in a few words, and nobody inside is asked.
 */
export const target: Target = {
  name: 'authority answers',
  isFullOnly: true,
  rounds: { few: 3, many: 120 },
  async prepare(attacked: AttackedApp) {
    const { app, authority, tlsPort } = attacked;
    const owners = await Promise.all(
      (await openAccounts(app.url, 'certificate owner', ACCOUNTS)).map(async (account) => {
        const { id } = await clientOf(account).deployments.create.mutate({ name: 'Lied to', platform: 'built-in' });
        return { account, deploymentId: id };
      }),
    );
    return async (random) => {
      const title = random.pick(Object.keys(AUTHORITY_LIES));
      const { account, deploymentId } = random.pick(owners);
      const client = clientOf(account);
      const { ask, faults } = createPersonCalls(PATIENCE_MS);
      const name = `x${random.bytes(6).toString('hex')}.test`;
      const times = random.pick([1, 3, Number.POSITIVE_INFINITY]);
      const lie = AUTHORITY_LIES[title] ?? (async () => undefined);
      authority.lieAbout(name, { lie, from: random.below(REQUESTS), times, random });
      try {
        const domainId = await proveOwn(attacked, account, { deploymentId, name });
        for (const endsAt = performance.now() + LYING_MS; performance.now() < endsAt; await wait(LOOK_MS)) {
          const listed = await ask((options) => client.certificates.list.query({ domainId }, options));
          const [certificate] = listed?.items ?? [];
          if (JSON.stringify(listed).length > SHOWN_MAX) faults.push('a long tale is kept');
          if (certificate?.state === 'issued' && !(await isServed(tlsPort, name)))
            faults.push('another certificate is served');
          if (certificate?.problem || certificate?.state === 'issued') break;
        }
        authority.lieAbout(name, null);
        await ask((options) => client.domains.remove.mutate({ domainId }, options));
      } finally {
        authority.lieAbout(name, null);
      }
      return [...faults, ...authority.takeLeaks()].map((fault) => `${fault} (${title})`);
    };
  },
};

/** Processes learn of a certificate one after the other: none yet is not another. */
async function isServed(port: number, name: string): Promise<boolean> {
  const socket = await handshake(port, name).catch(() => null);
  const names = socket?.getPeerCertificate().subjectaltname ?? `DNS:${name}`;
  socket?.destroy();
  return names.split(', ').includes(`DNS:${name}`);
}
