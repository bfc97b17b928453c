import type { SimulatedPlatform } from '../../routers/schemas/simulation.ts';
import type { HandOff } from '../publishing/platforms/platform.ts';

/** One id for everything: nothing simulated is stored, and no stored row has it. */
export const SIMULATED_ID = 'simulated00000000000';

/** Names and addresses that nobody can have (RFC 2606, section 3; RFC 5737; RFC 3849). */
export const SITE_URL = 'https://your-site.example';
export const DOMAIN = 'your-domain.example';
export const SITE_ADDRESS = '192.0.2.10';
export const OTHER_ADDRESSES = { four: '198.51.100.7', six: '2001:db8::7' } as const;

/** The lifetime of a simulated certificate. */
export const LIFETIME_DAYS = 90;

/** The subject of a simulation. */
export type Cast = {
  platform: SimulatedPlatform;
  /** The name of the platform in every sentence. */
  title: string;
  startedAt: Date;
  /** The steps for the person there; null when there are none. */
  handOff: HandOff | null;
};
