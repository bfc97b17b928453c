import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errnoOf, makeFolder, writeDurably } from '../durable-file.ts';
import type { Log } from '../log.ts';
import type { Mail, Mailer } from './mailer.ts';

const FILE_NAME = /^[0-9TZ-]+_[0-9a-z]+\.json$/;

const keptMailSchema = z.object({
  id: z.string(),
  kind: z.string(),
  to: z.string(),
  replyTo: z.optional(z.string()),
  subject: z.string(),
  text: z.string(),
  at: z.coerce.date(),
});

/**
 * Keeps mails as files in a folder that their owner alone reads, since a mail may hold a one-time link: one JSON file
 * each, named so that a listing is in the order of their times. A mail that is delivered twice overwrites itself. The
 * log gets kind and recipient alone.
 */
export function createOutbox(folder: string, log: Log): Mailer {
  return {
    keepsMail: true,
    async deliver(mail) {
      await makeFolder(folder);
      await writeDurably(join(folder, nameOf(mail)), (file) => file.writeFile(`${JSON.stringify(mail, null, 2)}\n`));
      log.info('A mail was put into the outbox.', { kind: mail.kind, to: mail.to });
    },
  };
}

/** Returns the mails of an outbox, oldest first; an outbox that nothing was put into yet is empty. */
export async function readOutbox(folder: string): Promise<Mail[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
  const mails: Mail[] = [];
  for (const name of names.filter((entry) => FILE_NAME.test(entry)).sort()) {
    mails.push(keptMailSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))));
  }
  return mails;
}

function nameOf(mail: Mail): string {
  return `${mail.at.toISOString().replaceAll(/[:.]/g, '-')}_${mail.id}.json`;
}
