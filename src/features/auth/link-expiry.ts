import { CONFIRM_LINK_HOURS, RESET_LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** How long a mailed link works, as in 'It works for 30 minutes.' */
export const RESET_LINK_LIFETIME = `${RESET_LINK_MINUTES} minutes`;
export const CONFIRM_LINK_LIFETIME = `${CONFIRM_LINK_HOURS} hours`;

/** What is said of a link that no longer sets a password. */
export const RESET_LINK_EXPIRED = `Each link works once, for ${RESET_LINK_LIFETIME}. Ask for a new one.`;
