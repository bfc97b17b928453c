import { RESET_LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** The lifetimes of mailed links, as in 'It works for 30 minutes.' */
export const RESET_LINK_LIFETIME = `${RESET_LINK_MINUTES} minutes`;

/** The text about a link of which a part is missing: its mail may be in the outbox. */
export const LINK_INCOMPLETE = 'Open the whole link again, or ask for a new one.';

/** Returns the title above the reason for which a link cannot be used. */
export function refusedLinkTitle(reason: string): string {
  return reason === LINK_INCOMPLETE ? 'This link is incomplete' : 'This link no longer works';
}

/** The text about a link that can no longer set a password. */
export const RESET_LINK_EXPIRED = `Each link works once, within ${RESET_LINK_LIFETIME}. Ask for a new one.`;
