import { setTimeout as wait } from 'node:timers/promises';
import { type Account, clientOf } from '../../support/api-account.ts';
import { NO_ANSWER } from '../../support/supervised-app.ts';
import { faultOf } from './call.ts';

/** Calls are limited to 600 a minute. */
const ASK_AGAIN_MS = 500;
const PATIENCE_MS = 180_000;
/** An account may have three uploads open. */
const PER_ACCOUNT = 2;

/** A deployment of an attacker with its open upload, in the hands of one round at a time. */
export type UploadSlot = { account: Account; deploymentId: string; slug: string; uploadId: string };

export type UploadSlots = {
  /** Waits for one that is free, and takes it back when the round is over. */
  use<T>(work: (slot: UploadSlot) => Promise<T>): Promise<T>;
};

export async function openUploadSlots(accounts: readonly Account[]): Promise<UploadSlots> {
  const free: UploadSlot[] = [];
  for (const account of accounts) {
    for (let number = 1; number <= PER_ACCOUNT; number += 1) {
      const { id, slug } = await clientOf(account).deployments.create.mutate({
        name: `Attacked ${number}`,
        platform: 'built-in',
      });
      free.push({ account, deploymentId: id, slug, uploadId: await openUpload(account, id) });
    }
  }
  return {
    async use(work) {
      let slot = free.pop();
      while (slot === undefined) {
        await wait(20);
        slot = free.pop();
      }
      try {
        return await work(slot);
      } finally {
        free.push(slot);
      }
    },
  };
}

/** Asks again while too much is asked of the account. */
async function openUpload(account: Account, deploymentId: string): Promise<string> {
  for (;;) {
    const opened = await clientOf(account)
      .releases.prepare.mutate({ deploymentId })
      .catch(() => null);
    if (opened !== null) return opened.uploadId;
    await wait(ASK_AGAIN_MS);
  }
}

/**
 * Makes a release of what was uploaded, waits until it has come to an end, whichever, and opens the next upload.
 * Returns what no answer may be; an upload that is refused makes no release.
 */
export async function releaseUpload(slot: UploadSlot): Promise<string[]> {
  const client = clientOf(slot.account);
  const { deploymentId, uploadId } = slot;
  const made = await client.releases.create.mutate({ deploymentId, uploadId }).catch((error: unknown) => String(error));
  if (typeof made === 'string') return made.includes('our side') ? [`releases.create: ${made}`] : [];
  slot.uploadId = await openUpload(slot.account, deploymentId);
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (performance.now() < giveUpAt) {
    const release = await client.releases.get.query({ releaseId: made.id }).catch(() => null);
    if (['live', 'failed', 'cancelled', 'superseded'].includes(release?.state ?? '')) return [];
    await wait(ASK_AGAIN_MS);
  }
  return [`${NO_ANSWER} Release ${made.id} has not come to an end.`];
}

type Upload = { method: string; rest: string; type: string; body: Buffer; abortAfterMs?: number | undefined };

/** One request to the slot's open upload. */
export function sendUpload(
  { account, uploadId }: UploadSlot,
  { method, rest, type, body, abortAfterMs }: Upload,
): Promise<string[]> {
  const headers = { authorization: `Bearer ${account.token}`, 'content-type': type };
  return faultOf(account.url, { method, path: `/api/uploads/${uploadId}/${rest}`, headers, body, abortAfterMs });
}
