import superjson from 'superjson';
import { PLAIN_INPUT } from '../../routers/rules/plain-input.ts';

/** Only what comes down holds what JSON cannot, such as dates. */
export const transformer = { input: PLAIN_INPUT, output: superjson };
