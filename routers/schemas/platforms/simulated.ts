import type { PlatformFacts } from './platform-facts.ts';

export const simulated = {
  title: 'Simulated platform',
  description: 'A simulated platform, to see what happens when one fails.',
  bullets: ['Fails in the step that you choose', 'Publishes to this machine only', 'Counts in no plan'],
  isSimulated: true,
} satisfies PlatformFacts;
