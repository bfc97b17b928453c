import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errnoOf, makeFolder, writeDurably } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';
import type { Mail, Mailer } from './mailer.ts';

/** About forty megabytes. */
const MAILS_MAX = 10_000;
const FILE_NAME = /^[0-9TZ-]+_[0-9a-z]+\.json$/;

const storedMailSchema = z.object({
  id: z.string(),
  kind: z.string(),
  to: z.string(),
  replyTo: z.optional(z.string()),
  subject: z.string(),
  text: z.string(),
  at: z.coerce.date(),
});

/**
 * Keeps mails as files that their owner alone can read, since a mail may hold a one-time link: one JSON file each,
 * named so that a listing is in the order of their times. A mail that is delivered twice overwrites itself; the oldest
 * give way to newer ones. The log gets kind and recipient alone.
 */
export function createOutbox(folder: string, log: Log, { mailsMax = MAILS_MAX } = {}): Mailer {
  return {
    keepsMail: true,
    async deliver(mail) {
      await makeFolder(folder);
      await writeDurably(join(folder, nameOf(mail)), (file) => file.writeFile(`${JSON.stringify(mail, null, 2)}\n`));
      await removeOldest(folder, mailsMax);
      log.info('An email was put into the outbox.', { kind: mail.kind, to: mail.to });
    },
  };
}

async function removeOldest(folder: string, mailsMax: number): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names.slice(0, Math.max(0, names.length - mailsMax)))
    await rm(join(folder, name), { force: true });
}

/** Returns the mails of an outbox, oldest first; an unused outbox is empty. */
export async function readOutbox(folder: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  for (const name of await namesIn(folder)) {
    mails.push(storedMailSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))));
  }
  return mails;
}

/** Returns the file names, oldest first. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => FILE_NAME.test(name)).sort();
}

function nameOf(mail: Mail): string {
  return `${mail.at.toISOString().replaceAll(/[:.]/g, '-')}_${mail.id}.json`;
}
