#!/usr/bin/env node
import { readEnv } from '../boot/env/env.ts';
import { notedDataFolders } from '../boot/noted-folders.ts';
import { SUPERVISED_ARGUMENT } from '../boot/supervisor.ts';
import { redactSecrets } from '../lib/log.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';
import { listJobs, onDatabase, rerunJob } from './jobs.ts';
import { licenseWork } from './license.ts';
import { listMails, showMail } from './outbox.ts';

const USAGE = `Usage: fairlead <command>

  serve                 starts Fairlead, as npm start does
  outbox [list]         lists emails that were not sent by SMTP, oldest first
  outbox show           shows the newest in full; it may hold a one-time link
  outbox show <which>   shows the newest email to an address (ada@example.com), of a kind (confirm-email), or both; or
                        the email with that id
  jobs [list]           lists failed background jobs and why they failed, oldest first
  jobs rerun <id>       runs a failed job again, once its cause is fixed
  license create        creates license keys and prints them once:
    --plan PRO            BASIC, STANDARD, PRO or BETA
    --months 12           how long each one lasts, from when it is redeemed
    --count 20            how many, by default 1
    --redeem-by <date>    the last day to redeem them, such as 2030-12-31; by default there is none
    --note <text>         a note for yourself, which list shows
  license [list]        lists all license keys by their first characters, with their holders, oldest first
  license revoke <id>   ends a license, by its id or the whole key; its holder loses the time that was left
`;

/** Runs the `fairlead` command. Every command reads the same environment as the server. */
async function main(words: string[]): Promise<void> {
  const [command, action, id] = words;
  const write = (text: string): void => void process.stdout.write(text);
  const onLicenses = command === 'license' ? licenseWork(words.slice(1), write) : null;
  if (command === 'serve' && words.length === 1) {
    process.argv.push(SUPERVISED_ARGUMENT);
    await import('../boot/main.ts');
  } else if (command === 'outbox' && (action ?? 'list') === 'list' && words.length <= 2) {
    await listMails(await dataFolders(), write);
  } else if (command === 'outbox' && action === 'show' && words.length <= 4) {
    await showMail(await dataFolders(), words.slice(2), write);
  } else if (command === 'jobs' && (action ?? 'list') === 'list' && words.length <= 2) {
    await onDatabase(readEnv(process.env), await dataFolders(), () => listJobs(write));
  } else if (command === 'jobs' && action === 'rerun' && id !== undefined && words.length === 3) {
    await onDatabase(readEnv(process.env), await dataFolders(), () => rerunJob(id, write));
  } else if (onLicenses !== null) {
    await onDatabase(readEnv(process.env), await dataFolders(), onLicenses);
  } else if (command === undefined || command === 'help' || command === '--help') {
    write(USAGE);
  } else {
    throw new StartError(EXIT_FAILED, `There is no command "${words.join(' ')}".\n\n${USAGE}`);
  }
}

/** Returns the data folder that DATA_DIR names, else all that this copy of Fairlead was started with. */
async function dataFolders(): Promise<string[]> {
  const { dataDir } = readEnv(process.env);
  return process.env.DATA_DIR ? [dataDir] : [...new Set([dataDir, ...(await notedDataFolders())])];
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${redactSecrets(error instanceof Error ? error.message : String(error)).trimEnd()}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : EXIT_FAILED;
});
