import { join } from 'node:path';
import { readOutbox } from '../account/mail/outbox.ts';
import type { Env } from '../boot/env/env.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';

/**
 * Writes one line for each mail: id, time, kind, recipient. The texts may hold one-time links, so the list leaves them
 * out.
 */
export async function listMails(env: Env, write: (text: string) => void): Promise<void> {
  const mails = await readOutbox(join(env.dataDir, 'outbox'));
  if (mails.length === 0) write('The outbox is empty.\n');
  for (const mail of mails) write(`${mail.id}  ${mail.at.toISOString()}  ${mail.kind}  ${mail.to}\n`);
}

/** Writes one mail whole, or the newest when there is no id. Throws StartError when there is none. */
export async function showMail(env: Env, id: string | undefined, write: (text: string) => void): Promise<void> {
  const mails = await readOutbox(join(env.dataDir, 'outbox'));
  const mail = id === undefined ? mails.at(-1) : mails.find((candidate) => candidate.id === id);
  if (mail === undefined && id === undefined) throw new StartError(EXIT_FAILED, 'The outbox is empty.');
  if (mail === undefined) {
    throw new StartError(
      EXIT_FAILED,
      `There is no email "${id}" in the outbox; "fairlead outbox list" shows what there is.`,
    );
  }
  write(`Date: ${mail.at.toISOString()}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text.trimEnd()}\n`);
}
