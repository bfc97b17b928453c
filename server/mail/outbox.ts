import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Log } from '../log.ts';
import type { Mail, Mailer } from './mailer.ts';

/** A mail may hold a one-time link: its owner alone reads it (product page, section 5). */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
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
 * Keeps mails as files in a folder, one JSON file each, named so that a listing is in the order of their times. A mail
 * that is delivered twice overwrites itself. The log gets kind and recipient alone.
 */
export function createOutbox(folder: string, log: Log): Mailer {
  return {
    async deliver(mail) {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      await writeDurably(folder, nameOf(mail), `${JSON.stringify(mail, null, 2)}\n`);
      log.info('A mail was put into the outbox.', { kind: mail.kind, to: mail.to });
    },
  };
}

/** The mails of an outbox, oldest first; an outbox that nothing was put into yet is empty. */
export async function readOutbox(folder: string): Promise<Mail[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
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

/** Written beside and renamed, so that a crash leaves the whole file or none (security facts, 10.4). */
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    const directory = await open(folder, 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
