import { herokuCapabilities } from '../../../../routers/schemas/platforms/capabilities/heroku.ts';
import { makeOnce, type Vendor } from '../http.ts';
import type { ConnectionCall, ConnectionInfo, Platform } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { buildToCancel, herokuAt, readAccount, readOutput, readTeams } from './api.ts';
import { appOf, dropApp } from './app.ts';
import { attachDomain, detachDomain, readDomain } from './domains.ts';
import { buildIn, lookAt, publish, restore } from './publish.ts';

/**
 * Heroku, which hosts no static sites: a site runs as an app with a small web server of our own (static-server.ts).
 * Each release is one archive that is built there. `silenceMs` is the longest wait for an answer.
 */
export function heroku({ apiUrl, silenceMs }: { apiUrl: string; silenceMs?: number }): Platform {
  const vendor: Vendor = { ...herokuAt(apiUrl), ...(silenceMs !== undefined && { silenceMs }) };
  return {
    id: 'heroku',
    capabilities: herokuCapabilities,
    verify: (call) => verify(vendor, call),
    listTargets: async (call) => (await readTeams(vendor, call)).map(({ name }) => ({ id: name, name })),
    publish: (call, request) => publish(vendor, call, request),
    release: (call, ref) => lookAt(vendor, call, ref),
    async cancel(call, ref) {
      const look = () => nullIfNotFound(buildIn(vendor, call, ref));
      const build = await look();
      if (build === null || isOver(build)) return;
      await makeOnce(call, vendor, {
        look: async () => {
          const found = await look();
          return found === null || isOver(found) ? build : null;
        },
        ...buildToCancel(appOf(call), build.id),
      });
    },
    restore: (call, { ref }) => restore(vendor, call, ref),
    readLog: async (call, ref) => readOutput(call, (await buildIn(vendor, call, ref))?.output_stream_url),
    remove: (call) => dropApp(vendor, call),
    attachDomain: (call, name) => attachDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => detachDomain(vendor, call, name),
  };
}

function isOver({ status }: { status?: string | null | undefined }): boolean {
  return status === 'succeeded' || status === 'failed';
}

async function verify(vendor: Vendor, call: ConnectionCall): Promise<ConnectionInfo> {
  const account = await readAccount(vendor, call);
  const { id, email, name, verified, suspended_at: suspended, delinquent_at: delinquent } = account;
  const settle = 'settle it at https://dashboard.heroku.com/account/billing.';
  const warnings: string[] = [];
  if (verified === false) {
    warnings.push('Heroku runs nothing for this account until a payment card is added: https://heroku.com/verify.');
  }
  if (delinquent) warnings.push(`Heroku is waiting for a payment from this account: ${settle}`);
  if (suspended) warnings.push('Heroku has suspended this account: contact Heroku’s support.');
  return { identity: name ? `${name} (${email})` : email, subject: id ?? email, warnings };
}
