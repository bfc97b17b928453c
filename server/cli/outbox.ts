import { join } from 'node:path';
import { readOutbox } from '../account/mail/outbox.ts';
import { emailKey } from '../account/name-keys.ts';
import type { Env } from '../boot/env/env.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';

/**
 * Writes one line for each mail: id, time, kind, recipient. The texts may hold one-time links, so the list leaves them
 * out.
 */
export async function listMails(env: Env, write: (text: string) => void): Promise<void> {
  const mails = await readOutbox(folderOf(env));
  if (mails.length === 0) write(`${emptyText(env)}\n`);
  for (const mail of mails) write(`${mail.id}  ${mail.at.toISOString()}  ${mail.kind}  ${mail.to}\n`);
}

/** Writes one mail whole: by its id, or the newest to an address, or the newest. Throws StartError if there is none. */
export async function showMail(env: Env, which: string | undefined, write: (text: string) => void): Promise<void> {
  const mails = await readOutbox(folderOf(env));
  if (mails.length === 0) throw new StartError(EXIT_FAILED, emptyText(env));
  const isWanted = ({ id, to }: { id: string; to: string }): boolean =>
    which === undefined || which === id || emailKey(which) === emailKey(to);
  const mail = mails.findLast(isWanted);
  if (mail === undefined) {
    throw new StartError(
      EXIT_FAILED,
      `No email in ${folderOf(env)} has the id or recipient "${which}"; "fairlead outbox list" shows what there is.`,
    );
  }
  write(`Date: ${mail.at.toISOString()}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text.trimEnd()}\n`);
}

function folderOf({ dataDir }: Env): string {
  return join(dataDir, 'outbox');
}

function emptyText(env: Env): string {
  return `The outbox in ${folderOf(env)} is empty. If the server has another DATA_DIR, set it here too.`;
}
