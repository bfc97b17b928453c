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

/**
 * Writes one mail whole: the newest that each of `words` fits, which are an id, a recipient or a kind. Throws StartError
 * if there is none.
 */
export async function showMail(
  dataDirs: readonly string[],
  words: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const mails = await mailsIn(dataDirs);
  if (mails.length === 0) throw new StartError(EXIT_FAILED, emptyText(dataDirs));
  const mail = mails.findLast(({ id, kind, to }) =>
    words.every((word) => word === id || word === kind || emailKey(word) === emailKey(to)),
  );
  if (mail === undefined) {
    throw new StartError(
      EXIT_FAILED,
      `No email in ${outboxes(dataDirs)} has the id, recipient or kind "${words.join(' ')}"; "fairlead outbox list" shows what there is.`,
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
