import { RESET_LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** The lifetimes of mailed links, as in 'It works for 30 minutes.' */
export const RESET_LINK_LIFETIME = `${RESET_LINK_MINUTES} minutes`;

/** The text about a link that can no longer set a password. */
export const RESET_LINK_EXPIRED = `Each link works once, within ${RESET_LINK_LIFETIME}. Ask for a new one.`;
