import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, test } from 'vitest';
import type { Mail } from '../../../server/account/mail/mailer.ts';
import { createSmtpMailer } from '../../../server/account/mail/smtp.ts';
import type { Log } from '../../../server/lib/log.ts';
import { createTestApp } from '../../support/app.ts';

const FROM = 'Fairlead <fairlead@example.com>';
const MAIL: Mail = {
  id: '0123456789abcdefghij',
  kind: 'contact',
  to: 'operator@example.com',
  replyTo: 'ada@example.com',
  subject: 'Contact form: Ada Ünal',
  text: 'Hello\n.\nMAIL FROM:<eve@example.com>\n',
  at: new Date('2026-03-04T05:06:07Z'),
};

function listeningLog() {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  return { log, lines };
}

/** Returns a real SMTP server on a port of its own, which keeps what it is given. */
async function mailServer(options: SMTPServerOptions = {}) {
  const kept: { from: string; to: string[]; raw: string; user: string | undefined }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // Signing in is tested without a certificate.
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'secret' ? done(null, { user: username }) : done(new Error('Wrong password')),
    onData(stream, session, done) {
      let raw = '';
      stream.on('data', (chunk) => {
        raw += String(chunk);
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const user = session.user === undefined ? undefined : String(session.user);
        kept.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
          user,
        });
        done();
      });
    },
    ...options,
  });
  // A client that is refused in mid-letter may break off.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    kept,
    port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test('a mail arrives with its headers, its text untouched, and the log holds neither text nor password', async () => {
  await using server = await mailServer();
  const { log, lines } = listeningLog();

  const url = `smtp://fairlead:secret@127.0.0.1:${server.port}`;
  await createSmtpMailer({ url, from: FROM }, log).deliver(MAIL);

  expect(server.kept).toMatchObject([{ from: 'fairlead@example.com', to: ['operator@example.com'], user: 'fairlead' }]);
  const raw = server.kept[0]?.raw ?? '';
  expect(raw).toContain('Message-ID: <0123456789abcdefghij@example.com>');
  expect(raw).toContain('Reply-To: ada@example.com');
  expect(raw).toContain('From: Fairlead <fairlead@example.com>');
  expect(raw).toContain('Date: Wed, 04 Mar 2026 05:06:07 +0000');
  expect(raw).toContain('\r\n.\r\nMAIL FROM:<eve@example.com>');
  expect(lines).toEqual([expect.stringContaining('{"kind":"contact","to":"operator@example.com"}')]);
  expect(lines.join()).not.toContain('secret');
});

/** The text of a letter: nodemailer sends long lines as quoted-printable (RFC 2045, 6.7). */
function plain(raw: string): string {
  const joined = raw.replace(/=\r\n/g, '');
  return joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

test('a forgotten password is replaced by the link of a mail that arrived', async () => {
  await using server = await mailServer();
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM }, listeningLog().log);
  await using app = await createTestApp({ providers: { mailer } });
  const ada = await app.newcomer();
  const { auth } = app.anonymous();
  await auth.forgotPassword({ email: ada.user.email });
  await app.jobs.drain();

  const letters = server.kept.filter(({ to }) => to.includes(ada.user.email)).map(({ raw }) => plain(raw));
  const [link] = letters.flatMap((raw) => /^http:\S+\/auth\/reset#token=(\S+)\r$/m.exec(raw)?.[1] ?? []);
  expect(
    letters.some((raw) => raw.includes('/auth/confirm#token=')),
    'and the address is to be confirmed',
  ).toBe(true);
  await auth.resetPassword({ token: link ?? '', password: 'Another anchor 2' });
  const signedIn = await auth.login({ username: ada.user.username, password: 'Another anchor 2' });
  expect(signedIn.id).toBe(ada.user.id);
});

test('a line break in a name or subject makes no header of its own', async () => {
  await using server = await mailServer();
  const { log } = listeningLog();

  await createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM }, log).deliver({
    ...MAIL,
    subject: 'Hello\r\nBcc: all@example.com',
  });

  expect(server.kept[0]?.raw).not.toMatch(/^Bcc:/m);
  expect(server.kept[0]?.to).toEqual(['operator@example.com']);
});

test('a recipient that the server refuses for good ends the mail', async () => {
  await using server = await mailServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('No such mailbox'), { responseCode: 550 })),
  });
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM }, listeningLog().log);

  await expect(mailer.deliver(MAIL)).rejects.toMatchObject({ name: 'AppError', code: 'mail_refused' });
});

test.each([
  ['a server that is busy', { onRcptTo: busy }],
  ['wrong credentials', { authOptional: false }],
] as const)('%s is tried again later', async (_what, options) => {
  await using server = await mailServer(options);
  const url = `smtp://fairlead:wrong@127.0.0.1:${server.port}`;
  const failure = await createSmtpMailer({ url, from: FROM }, listeningLog().log)
    .deliver(MAIL)
    .catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toMatchObject({ code: 'mail_refused' });
});

test('a server that is away is tried again later', async () => {
  const gone = await mailServer();
  await gone[Symbol.asyncDispose]();
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${gone.port}`, from: FROM }, listeningLog().log);

  await expect(mailer.deliver(MAIL)).rejects.not.toMatchObject({ code: 'mail_refused' });
});

function busy(_address: unknown, _session: unknown, done: (error: Error) => void): void {
  done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
}
