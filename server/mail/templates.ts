import * as z from 'zod/mini';
import { LINK_MINUTES } from '../../routers/schemas/limits.ts';

const username = z.string();
/** What is stored of a mail's text; links are made when it leaves. */
export const mailWordsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reset-password'), username }),
  z.strictObject({ kind: z.literal('confirm-email'), username }),
  z.strictObject({ kind: z.literal('password-changed'), username, how: z.enum(['changed', 'reset']) }),
  z.strictObject({ kind: z.literal('session-reused'), username, device: z.string(), address: z.string() }),
  z.strictObject({ kind: z.literal('email-changed'), username, newEmail: z.string() }),
  z.strictObject({ kind: z.literal('account-deleted'), username }),
  z.strictObject({ kind: z.enum(['release-live', 'release-failed']), username, message: z.string(), page: z.string() }),
  z.strictObject({ kind: z.literal('contact'), name: z.string(), email: z.string(), message: z.string() }),
]);
export type MailWords = z.infer<typeof mailWordsSchema>;

type WithLink = { kind: 'reset-password' | 'confirm-email' };

/**
 * The texts of the mails that Fairlead sends, as plain text (pure: services and adapters may use it). A link carries its
 * one-time token in the fragment, which no server and no log ever sees (security facts, 1.2).
 */
export type MailContent = Exclude<MailWords, WithLink> | (Extract<MailWords, WithLink> & { link: string });

export type MailText = { subject: string; text: string; replyTo?: string };

/** Subject and text of a mail; `reach` is where its reader can turn to. */
export function renderMail(content: MailContent, reach: { publicUrl: string; supportEmail: string }): MailText {
  if (content.kind === 'contact') return contactMail(content);
  const { subject, paragraphs } = body(content, reach.publicUrl);
  const closing = `Fairlead\n${reach.publicUrl}\nQuestions: ${reach.supportEmail}`;
  return { subject, text: `${[`Hello ${content.username},`, ...paragraphs, closing].join('\n\n')}\n` };
}

/** What somebody wrote, for the operator: an answer goes to its writer. */
function contactMail({ name, email, message }: Extract<MailContent, { kind: 'contact' }>): MailText {
  return {
    subject: `Contact form: ${name}`,
    text: `${name} <${email}> wrote through the contact form:\n\n${message}\n`,
    replyTo: email,
  };
}

function body(
  content: Exclude<MailContent, { kind: 'contact' }>,
  publicUrl: string,
): { subject: string; paragraphs: string[] } {
  const forgotten = `choose a new password at ${publicUrl}/login ("Forgot your password?"): that signs out every browser.`;
  switch (content.kind) {
    case 'reset-password':
      return {
        subject: 'Choose a new password',
        paragraphs: [
          `Somebody, hopefully you, asked for a new password. This link works once, for ${LINK_MINUTES} minutes:`,
          content.link,
          'The new password signs out every browser. If it was not you, do nothing: your password stays as it is.',
        ],
      };
    case 'confirm-email':
      return {
        subject: 'Confirm your e-mail address',
        paragraphs: [
          `Confirm that this address is yours. This link works once, for ${LINK_MINUTES} minutes:`,
          content.link,
          'If you have no account at Fairlead, do nothing: nothing else will be sent here.',
        ],
      };
    case 'password-changed':
      return {
        subject: 'Your password was changed',
        paragraphs: [
          content.how === 'reset'
            ? 'Your password was replaced through a link that was mailed to you, and every browser was signed out.'
            : 'Your password was changed in Fairlead, and every other browser was signed out.',
          `If it was not you, ${forgotten}`,
        ],
      };
    case 'session-reused':
      return {
        subject: 'We ended a session of your account',
        paragraphs: [
          'A sign-in that had already been replaced by a newer one was used again. That happens when somebody has copied it, so we ended that session.',
          `Session: ${content.device}\nUsed again from: ${content.address}`,
          `If you did not restore a browser from a backup just now, ${forgotten}`,
        ],
      };
    case 'release-live':
    case 'release-failed':
      return {
        subject: content.kind === 'release-live' ? 'A release is live' : 'A release failed',
        paragraphs: [
          content.message,
          `Every step of it: ${publicUrl}${content.page}`,
          `Which mails you get is chosen in Settings: ${publicUrl}/settings`,
        ],
      };
    case 'account-deleted':
      return {
        subject: 'Your account was deleted',
        paragraphs: [
          'Your account was deleted: its websites are taken down, and everything that it held is erased. This is the last mail to it.',
          'If it was not you, write to us at once at the address below.',
        ],
      };
    case 'email-changed':
      return {
        subject: 'Your e-mail address was changed',
        paragraphs: [
          `The address of your account is now ${content.newEmail}. This is the last mail that we send to the old one.`,
          'If it was not you, write to us at once at the address below.',
        ],
      };
  }
}
