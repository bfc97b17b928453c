import { LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** How long a mailed link holds, as in 'It works for 30 minutes.' */
export const LINK_LIFETIME = `${LINK_MINUTES} minutes`;

/** What is said of a link that no longer works. */
export const LINK_EXPIRED = `A link works once, for ${LINK_LIFETIME}. Ask for a new one.`;
