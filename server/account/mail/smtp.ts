import { createTransport } from 'nodemailer';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Mailer } from './mailer.ts';

/** A server that does not answer holds a worker no longer than this; the job tries again later. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Sends mails over SMTP (`smtp://user:password@host:587`, or `smtps://` for TLS from the first byte) and uses STARTTLS
 * where the server offers it. A mail that is sent twice carries the same Message-ID, so that mailboxes show it once.
 * `deliver` throws `mail_refused` when the server refuses this mail for good (a reply of 5yz, RFC 5321, 4.2.1); any
 * other error may pass, and the job tries again.
 */
export function createSmtpMailer({ url, from }: { url: string; from: string }, log: Log): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
  return {
    keepsMail: false,
    async deliver({ id, kind, to, replyTo, subject, text, at }) {
      try {
        await transport.sendMail({ from, to, replyTo, subject, text, date: at, messageId: `<${id}@${domain}>` });
      } catch (error) {
        throw isRefusal(error)
          ? new AppError('mail_refused', 'The mail server refused this email.', { cause: error })
          : error;
      }
      log.info('An email was handed to the mail server.', { kind, to });
    },
  };
}

/**
 * Returns whether the server refused sender, recipient or message. Wrong credentials are the operator's to correct, so
 * such mail waits.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false;
  const isAboutMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  return isAboutMail && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
