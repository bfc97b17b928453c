import * as z from 'zod/mini';
import { isPlaceholder } from '../../../routers/rules/support-address.ts';
import {
  CONFIRM_LINK_HOURS,
  DELETE_LINK_MINUTES,
  RESET_LINK_MINUTES,
  STOP_LINK_DAYS,
} from '../../../routers/schemas/limits.ts';
import type { MAILED_LINK_PATHS } from '../../lib/mailed-links.ts';

const username = z.string();
/** The stored values of a mail's text; its links are made when it is sent. */
export const mailValuesSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reset-password'), username }),
  /** `isChange`: the address is to take the place of another. */
  z.strictObject({ kind: z.literal('confirm-email'), username, isChange: z.optional(z.boolean()) }),
  z.strictObject({ kind: z.literal('password-changed'), username, how: z.enum(['changed', 'reset']) }),
  z.strictObject({ kind: z.literal('session-reused'), username, device: z.string(), address: z.string() }),
  z.strictObject({ kind: z.literal('stop-email-change'), username, newEmail: z.string() }),
  z.strictObject({ kind: z.literal('email-changed'), username, newEmail: z.string() }),
  z.strictObject({ kind: z.literal('email-restored'), username, oldEmail: z.string() }),
  z.strictObject({ kind: z.literal('token-made'), username, tokenName: z.string(), canWrite: z.boolean() }),
  z.strictObject({ kind: z.literal('delete-account'), username }),
  /** `remains`: the words about its sites at platforms. */
  z.strictObject({ kind: z.literal('account-deleted'), username, remains: z._default(z.array(z.string()), []) }),
  z.strictObject({ kind: z.enum(['release-live', 'release-failed']), username, message: z.string(), page: z.string() }),
  z.strictObject({
    kind: z.enum([
      'domain-misconfigured',
      'domain-problem',
      'domain-lost',
      'renewal-failed',
      'renewal-at-risk',
      'certificate-expired',
    ]),
    username,
    name: z.string(),
    message: z.string(),
    /** The path of the page with more details. */
    page: z._default(z.string(), '/domains'),
  }),
  z.strictObject({
    kind: z.enum(['plan-ends-week', 'plan-ends-day', 'plan-ended']),
    username,
    name: z.string(),
    /** The plan that follows; null when there is none. */
    next: z._default(z.nullable(z.string()), null),
    message: z.string(),
    page: z.string(),
  }),
  z.strictObject({
    kind: z.literal('payment-failed'),
    username,
    name: z.string(),
    message: z.string(),
    page: z.string(),
  }),
  z.strictObject({ kind: z.enum(['payment-disputed', 'refund-failed']), paymentId: z.string(), chargeId: z.string() }),
  z.strictObject({ kind: z.literal('contact'), name: z.string(), email: z.string(), message: z.string() }),
]);
export type MailValues = z.infer<typeof mailValuesSchema>;

type WithLink = { kind: keyof typeof MAILED_LINK_PATHS };

/**
 * The texts of Fairlead's mails, as plain text (pure: services and adapters may use it). A link carries its one-time
 * token in the fragment, which no server and no log ever sees.
 */
export type MailContent = Exclude<MailValues, WithLink> | (Extract<MailValues, WithLink> & { link: string });

export type MailText = { subject: string; text: string; replyTo?: string };

/** Renders subject and text of a mail; `reach` says where its reader can get help. */
export function renderMail(content: MailContent, reach: { publicUrl: string; supportEmail: string }): MailText {
  if (content.kind === 'contact') return contactMail(content);
  if ('chargeId' in content) return paymentMail(content);
  const { subject, paragraphs } =
    'link' in content ? linkBody(content, reach.publicUrl) : newsBody(content, reach.publicUrl);
  const support = isPlaceholder(reach.supportEmail) ? '' : `\nQuestions: ${reach.supportEmail}`;
  const closing = `Fairlead\n${reach.publicUrl}${support}`;
  return { subject, text: `${[`Hello ${content.username},`, ...paragraphs, closing].join('\n\n')}\n` };
}

/** Forwards a message of the contact form to the operator; a reply goes to its writer. */
function contactMail({ name, email, message }: Extract<MailContent, { kind: 'contact' }>): MailText {
  return {
    subject: `Contact form: ${name}`,
    text: `${name} <${email}> wrote through the contact form:\n\n${message}\n`,
    replyTo: email,
  };
}

function paymentMail({ kind, paymentId, chargeId }: Extract<MailContent, { chargeId: string }>): MailText {
  if (kind === 'refund-failed') {
    const text = `The refund of the payment ${paymentId} (${chargeId}) failed: the bank sent the money back to you. The plan has ended all the same. Refund the customer another way; the payment service shows the reason.\n`;
    return { subject: 'A refund failed', text };
  }
  const text = `A customer disputes the payment ${paymentId} (${chargeId}). Answer the dispute at the payment service in time: if you lose it, the money goes back and the plan ends.\n`;
  return { subject: 'A payment is disputed', text };
}

type Body = { subject: string; paragraphs: string[] };

/** Returns the instruction for winning back an account whose password somebody else knows. */
function remedy(publicUrl: string): string {
  return `choose a new password at ${publicUrl}/login (“Forgot your password?”): that logs out every browser and revokes every API token.`;
}

function linkBody(content: Extract<MailContent, WithLink>, publicUrl: string): Body {
  switch (content.kind) {
    case 'reset-password':
      return {
        subject: 'Choose a new password',
        paragraphs: [
          `Somebody, probably you, asked for a new password. This link works once, within ${RESET_LINK_MINUTES} minutes:`,
          content.link,
          'Setting a new password logs out every browser and revokes every API token. If it was not you, do nothing: your password stays as it is.',
        ],
      };
    case 'confirm-email':
      return confirmBody(content);
    case 'stop-email-change':
      return {
        subject: 'Your email address is about to change',
        paragraphs: [
          `Somebody who knows your password asked to change the email address of your account to ${content.newEmail}. It changes once the link that we sent to that address is opened.`,
          `If it was you, do nothing. If it was not, undo the change here within ${STOP_LINK_DAYS} days, even if it has already happened:`,
          content.link,
          'Your account keeps this address, every browser is logged out, and every API token is revoked. You then choose a new password.',
        ],
      };
    case 'delete-account':
      return {
        subject: 'Delete your account?',
        paragraphs: [
          `Somebody who knows your password asked to delete your account, with its websites and everything in it. To delete it, open this link. It works once, within ${DELETE_LINK_MINUTES} minutes:`,
          content.link,
          `If it was not you, do not open the link, and nothing is deleted. Somebody else knows your password, so ${remedy(publicUrl)}`,
        ],
      };
  }
}

function confirmBody({ link, isChange = false }: Extract<MailContent, { kind: 'confirm-email' }>): Body {
  const once = `It works once, within ${CONFIRM_LINK_HOURS} hours:`;
  if (isChange) {
    return {
      subject: 'Confirm your new email address',
      paragraphs: [
        `Somebody, probably you, asked to change the email address of a Fairlead account to this one. Open this link to confirm the change. ${once}`,
        link,
        'If it was not you, do nothing: the account keeps its old address.',
      ],
    };
  }
  return {
    subject: 'Confirm your email address',
    paragraphs: [
      `Open this link to confirm that this address is yours. ${once}`,
      link,
      'If you did not create a Fairlead account, do nothing: nothing else will be sent here.',
    ],
  };
}

type ReleaseNews = Extract<MailContent, { kind: 'release-live' | 'release-failed' }>;

function releaseBody({ kind, message, page }: ReleaseNews, publicUrl: string): Body {
  return {
    subject: kind === 'release-live' ? 'A release is live' : 'A release failed',
    paragraphs: [
      message,
      `See every step: ${publicUrl}${page}`,
      `Choose which emails you get in Settings: ${publicUrl}/settings`,
    ],
  };
}

const DOMAIN_SUBJECTS = {
  'domain-misconfigured': (name: string) => `${name} no longer points to your site`,
  'domain-problem': (name: string) => `${name} needs your attention`,
  'domain-lost': (name: string) => `${name} belongs to another account now`,
  'renewal-failed': (name: string) => `The certificate of ${name} could not be renewed`,
  'renewal-at-risk': (name: string) => `The next renewal of the certificate of ${name} would fail`,
  'certificate-expired': (name: string) => `The certificate of ${name} has expired`,
};

type DomainNews = Extract<MailContent, { kind: keyof typeof DOMAIN_SUBJECTS }>;

function domainBody({ kind, name, message, page }: DomainNews, publicUrl: string): Body {
  return {
    subject: DOMAIN_SUBJECTS[kind](name),
    paragraphs: [message, `Details and what to do: ${publicUrl}${page}`],
  };
}

const PLAN_ENDS = { 'plan-ends-week': 'within a week', 'plan-ends-day': 'within a day', 'plan-ended': null };

type PlanNews = Extract<MailContent, { kind: keyof typeof PLAN_ENDS | 'payment-failed' }>;

function planBody(content: PlanNews, publicUrl: string): Body {
  const { name, message, page } = content;
  if (content.kind === 'payment-failed') {
    return {
      subject: `The payment for your ${name} plan failed`,
      paragraphs: [message, `Choose another card under Manage payment: ${publicUrl}${page}`],
    };
  }
  const within = PLAN_ENDS[content.kind];
  const change = content.next === null ? 'ends' : `becomes ${content.next}`;
  return {
    subject: `Your ${name} ${within === null ? 'has ended' : `${change} ${within}`}`,
    paragraphs: [message, `See the plans: ${publicUrl}${page}`],
  };
}

function addressBody(content: Extract<MailContent, { kind: 'email-changed' | 'email-restored' }>): Body {
  if (content.kind === 'email-restored') {
    return {
      subject: 'Your email address was changed back',
      paragraphs: [
        `Your account uses ${content.oldEmail} again: the change to this address was undone with the link that we sent to ${content.oldEmail}. Every browser was logged out, and every API token was revoked.`,
        'If it was not you, write to us at once at the address below.',
      ],
    };
  }
  return {
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account is now ${content.newEmail}. This is our last email to the old one.`,
      `If it was not you, open our email “Your email address is about to change” and use its link, which brings your account back to this address. It works for ${STOP_LINK_DAYS} days after that email. If you do not have that email, write to us at once at the address below.`,
    ],
  };
}

type News = Exclude<MailContent, { kind: 'contact' | 'payment-disputed' | 'refund-failed' } | WithLink>;

function newsBody(content: News, publicUrl: string): Body {
  switch (content.kind) {
    case 'password-changed':
      return {
        subject: 'Your password was changed',
        paragraphs: [
          content.how === 'reset'
            ? 'Your password was reset with a link that we sent to you. Every browser was logged out, and every API token was revoked.'
            : 'Your password was changed in Fairlead, and every other browser was logged out.',
          `If it was not you, ${remedy(publicUrl)}`,
        ],
      };
    case 'session-reused':
      return {
        subject: 'We ended one of your sessions',
        paragraphs: [
          'Somebody may have copied one of your sessions and used it, so we ended that session.',
          `Session: ${content.device}\nUsed again from: ${content.address}`,
          `If you did not restore a browser from a backup just now, ${remedy(publicUrl)}`,
        ],
      };
    case 'release-live':
    case 'release-failed':
      return releaseBody(content, publicUrl);
    case 'domain-misconfigured':
    case 'domain-problem':
    case 'domain-lost':
    case 'renewal-failed':
    case 'renewal-at-risk':
    case 'certificate-expired':
      return domainBody(content, publicUrl);
    case 'plan-ends-week':
    case 'plan-ends-day':
    case 'plan-ended':
    case 'payment-failed':
      return planBody(content, publicUrl);
    case 'account-deleted':
      return {
        subject: 'Your account was deleted',
        paragraphs: [
          'Your account was deleted. Fairlead is taking its websites down and erasing everything in it. This is our last email to you.',
          ...content.remains,
          'If it was not you, write to us at once at the address below.',
        ],
      };
    case 'token-made':
      return {
        subject: 'An API token was created for your account',
        paragraphs: [
          `The API token "${content.tokenName}" was created. It can ${content.canWrite ? 'read and change your deployments' : 'read your deployments'}.`,
          `If it was not you, ${remedy(publicUrl)}`,
        ],
      };
    case 'email-changed':
    case 'email-restored':
      return addressBody(content);
  }
}
