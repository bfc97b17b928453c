import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const heroku = {
  title: HOSTING_TITLES.heroku,
  description: 'Sites beside the apps you already run.',
  bullets: [
    'A small static server is added for you',
    'Certificate managed by the platform',
    'Roll back to releases that Heroku allows',
  ],
} satisfies PlatformFacts;
