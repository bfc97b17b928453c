import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Mail } from '../../../server/account/mail/mailer.ts';
import { createOutbox, readOutbox } from '../../../server/account/mail/outbox.ts';
import { type MailContent, renderMail } from '../../../server/account/mail/templates.ts';
import { noteDataFolder, notedDataFolders } from '../../../server/boot/noted-folders.ts';
import { listMails, showMail } from '../../../server/cli/outbox.ts';
import type { Log } from '../../../server/lib/log.ts';

async function temporaryFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'fairlead-outbox-'));
  return {
    path: join(parent, 'outbox'),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

function listeningLog() {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  return { log, lines };
}

function mail(fields: Partial<Mail> = {}): Mail {
  return {
    id: '0123456789abcdefghij',
    kind: 'reset-password',
    to: 'ada@example.com',
    subject: 'Choose a new password',
    text: 'http://localhost:3000/auth/reset#token=secret',
    at: new Date('2026-03-04T05:06:07.089Z'),
    ...fields,
  };
}

test('a mail is kept for its owner alone, and the log names kind and recipient only', async () => {
  await using folder = await temporaryFolder();
  const { log, lines } = listeningLog();

  await createOutbox(folder.path, log).deliver(mail());

  const [name = ''] = await readdir(folder.path);
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder.path, name))).mode & 0o777).toBe(0o600);
  expect(await readOutbox(folder.path)).toEqual([mail()]);
  expect(lines).toEqual([expect.stringContaining('{"kind":"reset-password","to":"ada@example.com"}')]);
});

test('the oldest mails give way to newer ones', async () => {
  await using folder = await temporaryFolder();
  const outbox = createOutbox(folder.path, listeningLog().log, { mailsMax: 2 });
  for (const day of [3, 1, 2]) await outbox.deliver(mail({ id: String(day).repeat(20), at: new Date(2026, 2, day) }));
  expect((await readOutbox(folder.path)).map(({ id }) => id)).toEqual(['2'.repeat(20), '3'.repeat(20)]);
});

test('a mail delivered twice is there once; a listing goes by time', async () => {
  await using folder = await temporaryFolder();
  const outbox = createOutbox(folder.path, listeningLog().log);
  const later = mail({ id: 'z'.repeat(20), at: new Date('2026-03-05T00:00:00Z') });
  const earlier = mail({ id: 'a'.repeat(20), at: new Date('2026-03-04T00:00:00Z') });

  for (const one of [later, earlier, later]) await outbox.deliver(one);

  expect((await readOutbox(folder.path)).map(({ id }) => id)).toEqual([earlier.id, later.id]);
});

test('the command lists mails without their texts, shows one whole by its id or its recipient, and says when there is none', async () => {
  await using folder = await temporaryFolder();
  const dataDirs = [dirname(folder.path)];
  const said = async (tell: (write: (text: string) => void) => Promise<void>) => {
    const texts: string[] = [];
    await tell((text) => void texts.push(text));
    return texts.join('');
  };
  const list = () => said((write) => listMails(dataDirs, write));
  const show = (...words: string[]) => said((write) => showMail(dataDirs, words, write));

  const empty = `There is no email in ${folder.path}. If the server has another DATA_DIR, set it here too.`;
  expect(await list()).toBe(`${empty}\n`);
  for (const words of [[], ['ada@example.com']]) await expect(show(...words)).rejects.toThrow(empty);
  await createOutbox(folder.path, listeningLog().log).deliver(mail());
  expect(await list()).toBe('0123456789abcdefghij  2026-03-04T05:06:07.089Z  reset-password  ada@example.com\n');
  const shown = await show(mail().id);
  expect(await show(), 'the newest').toBe(shown);
  expect(shown).toContain('To: ada@example.com\nSubject: Choose a new password\n\n');
  expect(shown).toContain('/auth/reset#token=secret');
  await createOutbox(folder.path, listeningLog().log).deliver(
    mail({ id: 'b'.repeat(20), to: 'Bob@example.com', at: new Date('2026-03-05T00:00:00Z') }),
  );
  expect(await show('ADA@example.com'), 'the newest to her').toBe(shown);
  expect(await show('bob@example.com')).toContain('To: Bob@example.com\n');
  await createOutbox(folder.path, listeningLog().log).deliver(
    mail({ id: 'c'.repeat(20), kind: 'token-made', at: new Date('2026-03-06T00:00:00Z') }),
  );
  expect(await show('ada@example.com', 'reset-password'), 'the newest with her link').toBe(shown);
  await expect(show('bob@example.com', 'token-made')).rejects.toThrow('"bob@example.com token-made"');
  for (const which of ['nothing', 'eve@example.com']) {
    await expect(show(which)).rejects.toThrow(`No email in ${folder.path} has the id, recipient or kind "${which}"`);
  }
});

test('the command finds the data folder of each start, and the newest mail in all of them', async () => {
  await using first = await temporaryFolder();
  await using second = await temporaryFolder();
  const notes = join(dirname(first.path), 'notes');
  const [one, two, gone] = [dirname(first.path), dirname(second.path), join(first.path, 'gone')];
  expect(await notedDataFolders(notes), 'before any start').toEqual([]);

  await Promise.all([one, two, gone, two].map((path) => noteDataFolder(path, notes)));

  const noted = await notedDataFolders(notes);
  expect(noted.toSorted()).toEqual([one, two].toSorted());
  await noteDataFolder(one, notes);
  expect(await readdir(notes), 'the folder that is gone is forgotten').toHaveLength(2);
  await createOutbox(second.path, listeningLog().log).deliver(mail());
  await createOutbox(first.path, listeningLog().log).deliver(mail({ id: 'b'.repeat(20), at: new Date('2026-03-03') }));
  let shown = '';
  await showMail(noted, ['ada@example.com'], (text) => {
    shown += text;
  });
  expect(shown).toContain('2026-03-04');
});

test('an outbox that nothing was put into is empty, and half-written files are passed over', async () => {
  await using folder = await temporaryFolder();
  expect(await readOutbox(folder.path)).toEqual([]);
  await createOutbox(folder.path, listeningLog().log).deliver(mail());
  await writeFile(join(folder.path, '2026-03-04T05-06-07-089Z_abc.json.1234.tmp'), '{"id":');
  expect(await readOutbox(folder.path)).toHaveLength(1);
});

test.each<[MailContent, string[]]>([
  [
    { kind: 'reset-password', username: 'Ada', link: 'https://f.example/auth/reset#token=x' },
    ['https://f.example/auth/reset#token=x', 'within 30 minutes'],
  ],
  [
    { kind: 'confirm-email', username: 'Ada', link: 'https://f.example/auth/confirm#token=x' },
    ['https://f.example/auth/confirm#token=x', 'within 24 hours'],
  ],
  [{ kind: 'password-changed', username: 'Ada', how: 'reset' }, ['Every browser was logged out', '/login']],
  [{ kind: 'password-changed', username: 'Ada', how: 'changed' }, ['every other browser was logged out', '/login']],
  [
    { kind: 'session-reused', username: 'Ada', device: 'Firefox on Linux', address: '203.0.113.1' },
    ['Firefox on Linux', '203.0.113.1'],
  ],
  [
    { kind: 'account-deleted', username: 'Ada', remains: ['These stay:\nhttps://a.example at Replit'] },
    ['is taking its websites down', 'to you.\n\nThese stay:\nhttps://a.example at Replit\n\nIf it was not you'],
  ],
  [
    { kind: 'delete-account', username: 'Ada', link: 'https://f.example/auth/delete-account#token=x' },
    [
      'https://f.example/auth/delete-account#token=x',
      'within 30 minutes',
      'nothing is deleted',
      'https://f.example/login',
    ],
  ],
  [
    { kind: 'release-failed', username: 'Ada', message: 'Atlas was not published: it broke.', page: '/deployments/a' },
    ['Atlas was not published: it broke.', 'https://f.example/deployments/a', 'https://f.example/settings'],
  ],
  [{ kind: 'email-changed', username: 'Ada', newEmail: 'new@example.com' }, ['new@example.com', 'for 7 days']],
  [{ kind: 'email-restored', username: 'Ada', oldEmail: 'old@example.com' }, ['old@example.com', 'logged out']],
  [
    {
      kind: 'stop-email-change',
      username: 'Ada',
      newEmail: 'new@example.com',
      link: 'https://f.example/auth/stop-email-change#token=x',
    },
    [
      'new@example.com',
      'https://f.example/auth/stop-email-change#token=x',
      'within 7 days',
      'even if it has already happened',
    ],
  ],
  [{ kind: 'token-made', username: 'Ada', tokenName: 'CI', canWrite: true }, ['"CI"', 'read and change', '/login']],
  [{ kind: 'token-made', username: 'Ada', tokenName: 'CI', canWrite: false }, ['read your deployments.', '/login']],
])('the mail %o greets by name and says where to turn', (content, said) => {
  const { subject, text } = renderMail(content, { publicUrl: 'https://f.example', supportEmail: 'help@f.example' });
  expect(subject).not.toBe('');
  expect(text).toMatch(/^Hello Ada,\n\n/);
  for (const words of [...said, 'https://f.example', 'help@f.example']) expect(text).toContain(words);
});

test('a mail names no support address where none is set', () => {
  const content: MailContent = { kind: 'email-changed', username: 'Ada', newEmail: 'new@example.com' };
  const { text } = renderMail(content, { publicUrl: 'http://localhost:3000', supportEmail: 'support@localhost' });
  expect(text).toMatch(/\n\nFairlead\nhttp:\/\/localhost:3000\n$/);
});
