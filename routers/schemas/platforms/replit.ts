import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const replit = {
  title: HOSTING_TITLES.replit,
  description: 'A hand-off you finish in two minutes.',
  bullets: ['Archive ready to import', 'Each step explained', 'Checked live when you are done'],
} satisfies PlatformFacts;
