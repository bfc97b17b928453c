import { RESET_LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** The lifetimes of mailed links, as in 'It works for 30 minutes.' */
export const RESET_LINK_LIFETIME = `${RESET_LINK_MINUTES} minutes`;

/** Why a mailed link cannot be used, as a page says it. */
export type LinkRefusal = { title: string; reason: string };

/** A part of the link is missing; its mail may be in the outbox. */
export const LINK_INCOMPLETE: LinkRefusal = {
  title: 'This link is incomplete',
  reason: 'Open the whole link again, or ask for a new one.',
};

export const LINK_OVER_TITLE = 'This link no longer works';

/** The text about a link that can no longer set a password. */
export const RESET_LINK_EXPIRED = `Each link works once, within ${RESET_LINK_LIFETIME}. Ask for a new one.`;
