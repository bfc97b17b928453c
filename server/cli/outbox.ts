import { join } from 'node:path';
import type { Mail } from '../account/mail/mailer.ts';
import { readOutbox } from '../account/mail/outbox.ts';
import { emailKey } from '../account/name-keys.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';

/**
 * Writes one line for each mail in these data folders: id, time, kind, recipient. The texts may hold one-time links, so
 * the list leaves them out.
 */
export async function listMails(dataDirs: readonly string[], write: (text: string) => void): Promise<void> {
  const mails = await mailsIn(dataDirs);
  if (mails.length === 0) write(`${emptyText(dataDirs)}\n`);
  for (const mail of mails) write(`${mail.id}  ${mail.at.toISOString()}  ${mail.kind}  ${mail.to}\n`);
}

/** Writes one mail whole: by its id, or the newest to an address, or the newest. Throws StartError if there is none. */
export async function showMail(
  dataDirs: readonly string[],
  which: string | undefined,
  write: (text: string) => void,
): Promise<void> {
  const mails = await mailsIn(dataDirs);
  if (mails.length === 0) throw new StartError(EXIT_FAILED, emptyText(dataDirs));
  const isWanted = ({ id, to }: { id: string; to: string }): boolean =>
    which === undefined || which === id || emailKey(which) === emailKey(to);
  const mail = mails.findLast(isWanted);
  if (mail === undefined) {
    throw new StartError(
      EXIT_FAILED,
      `No email in ${outboxes(dataDirs)} has the id or recipient "${which}"; "fairlead outbox list" shows what there is.`,
    );
  }
  write(`Date: ${mail.at.toISOString()}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text.trimEnd()}\n`);
}

async function mailsIn(dataDirs: readonly string[]): Promise<Mail[]> {
  const mails = await Promise.all(dataDirs.map((dataDir) => readOutbox(join(dataDir, 'outbox'))));
  return mails.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
}

function outboxes(dataDirs: readonly string[]): string {
  return dataDirs.map((dataDir) => join(dataDir, 'outbox')).join(', ');
}

function emptyText(dataDirs: readonly string[]): string {
  return `There is no email in ${outboxes(dataDirs)}. If the server has another DATA_DIR, set it here too.`;
}
