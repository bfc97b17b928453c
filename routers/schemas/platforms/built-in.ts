import type { PlatformFacts } from './platform-facts.ts';

export const builtIn = {
  title: 'Built-in host',
  description: 'Served by Fairlead itself, with no account anywhere else.',
  bullets: ['Live in seconds', 'Every release keeps its own preview address', 'Roll back in about a second'],
  isServedHere: true,
} satisfies PlatformFacts;
