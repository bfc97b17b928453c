import type { PlatformFacts } from './platform-facts.ts';

export const replit: PlatformFacts = {
  title: 'Replit',
  description: 'A hand-off you finish in two minutes.',
  bullets: ['Archive ready to import', 'Each step explained', 'Checked live when you are done'],
  isAvailable: false,
};
