import type { SimulatedPlace } from '../../../routers/schemas/simulation.ts';
import type { HandOff } from '../../platforms/platform.ts';

/** One id for everything: nothing of it is stored, and nothing that is stored has it. */
export const SIMULATED_ID = 'simulated00000000000';

/** Names and addresses that no one can have (RFC 2606, section 3; RFC 5737; RFC 3849). */
export const SITE_URL = 'https://your-site.example';
export const DOMAIN = 'your-domain.example';
export const SITE_ADDRESS = '192.0.2.10';
export const OTHER_ADDRESSES = { four: '198.51.100.7', six: '2001:db8::7' } as const;

/** Of a certificate. */
export const LIFETIME_DAYS = 90;

/** What a simulation is about. */
export type Cast = {
  platform: SimulatedPlace;
  /** How the platform is called in every sentence. */
  title: string;
  startedAt: Date;
  /** What is left to the person there; null where nothing is. */
  handOff: HandOff | null;
};
