import { LINK_MINUTES } from '../../../routers/schemas/limits.ts';

/** How long a mailed link holds, as in 'It works for 30 minutes.' */
export const LINK_LIFE = `${LINK_MINUTES} minutes`;

/** Of a link that does not hold any more. */
export const LINK_OVER = `A link works once, for ${LINK_LIFE}. Ask for a new one.`;
