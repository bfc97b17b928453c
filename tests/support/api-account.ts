import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createFairleadClient } from '../../routers/client.ts';
import { readOutbox } from '../../server/account/mail/outbox.ts';
import type { SiteFiles } from './sites.ts';

/** The product as a script uses it: registers, starts the trial and publishes through the documented API alone. */
export type Account = { url: string; token: string; username: string; password: string };

export type LiveSite = { deploymentId: string; releaseId: string; number: number; slug: string; siteUrl: string };

async function call(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${init.method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

export function clientOf(account: Account): ReturnType<typeof createFairleadClient> {
  return createFairleadClient({ url: account.url, token: account.token });
}

/** A new account with the disclaimer accepted and the PRO trial running. */
export async function openAccount(url: string, username: string, password = 'Anchor weigh 1'): Promise<Account> {
  const answer = await call(`${url}/api/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, email: addressOf(username), password }),
  });
  const { accessToken: token }: { accessToken: string } = await answer.json();
  await call(`${url}/api/accept-disclaimer`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const account = { url, token, username, password };
  await clientOf(account).subscription.startTrial.mutate();
  return account;
}

/** Follows the link in the mail to the account, which lets it store much at once. */
export async function confirmAddress(account: Account, { dataDir }: { dataDir: string }): Promise<void> {
  const to = addressOf(account.username);
  for (;;) {
    const mails = await readOutbox(join(dataDir, 'outbox'));
    const text = mails.find((mail) => mail.to === to && mail.kind === 'confirm-email')?.text ?? '';
    const token = /#token=([\w-]+)$/m.exec(text)?.[1];
    if (token !== undefined) return void (await clientOf(account).auth.confirmEmail.mutate({ token }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function addressOf(username: string): string {
  return `${username.replaceAll(' ', '.')}@example.com`;
}

function bytesOf(content: string | Buffer): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

const ALONE_BYTES = 1024 ** 2;
const TOGETHER_BYTES = 4 * ALONE_BYTES;

/** The requests that bring files: one for each large one, the others together. */
function* sendingOf(files: readonly { sha256: string; bytes: Buffer }[]) {
  let parts: Buffer[] = [];
  let size = 0;
  for (const { sha256, bytes } of files) {
    if (bytes.length > ALONE_BYTES || files.length === 1) yield { method: 'PUT', path: `/${sha256}`, body: bytes };
    else {
      parts.push(Buffer.from(`${sha256}\n`), bytes);
      size += bytes.length;
    }
    if (size < TOGETHER_BYTES) continue;
    yield { method: 'POST', path: '', body: Buffer.concat(parts) };
    parts = [];
    size = 0;
  }
  if (parts.length > 0) yield { method: 'POST', path: '', body: Buffer.concat(parts) };
}

/** Sends what is missing and starts a release. Returns as soon as it is queued. */
export async function startPublish(account: Account, target: { deploymentId: string }, files: SiteFiles) {
  const client = clientOf(account);
  const headers = { authorization: `Bearer ${account.token}` };
  const { uploadId } = await client.releases.prepare.mutate({ deploymentId: target.deploymentId });
  const byHash = new Map<string, Buffer>();
  const manifest = Object.entries(files).map(([path, content]) => {
    const bytes = bytesOf(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    byHash.set(sha256, bytes);
    return { path: path.normalize('NFC'), sha256, sizeBytes: bytes.length };
  });
  const announced = await call(`${account.url}/api/uploads/${uploadId}/manifest`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ files: manifest }),
  });
  const { missing }: { missing: string[] } = await announced.json();
  const wanted = missing.map((sha256) => ({ sha256, bytes: byHash.get(sha256) ?? Buffer.alloc(0) }));
  for (const { method, path, body } of sendingOf(wanted)) {
    await call(`${account.url}/api/uploads/${uploadId}/files${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(body),
    });
  }
  const release = await client.releases.create.mutate({ deploymentId: target.deploymentId, uploadId });
  return { release, sent: missing.length };
}

/** Waits until a release has come to its end, and returns its state. */
export async function releaseEnd(account: Account, releaseId: string): Promise<string> {
  const client = clientOf(account);
  for (;;) {
    const release = await client.releases.get.query({ releaseId });
    if (['live', 'failed', 'cancelled', 'superseded'].includes(release.state)) return release.state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns a new deployment of the built-in host with one release, seen live. */
export async function publishSite(account: Account, name: string, files: SiteFiles): Promise<LiveSite> {
  const deployment = await clientOf(account).deployments.create.mutate({ name, platform: 'built-in' });
  const { release } = await startPublish(account, { deploymentId: deployment.id }, files);
  const state = await releaseEnd(account, release.id);
  if (state !== 'live') throw new Error(`Release ${release.number} of ${name} ended ${state}.`);
  return {
    deploymentId: deployment.id,
    releaseId: release.id,
    number: release.number,
    slug: deployment.slug,
    siteUrl: deployment.url,
  };
}
