import type { PlatformFacts } from './platform-facts.ts';

export const heroku: PlatformFacts = {
  title: 'Heroku',
  description: 'Sites beside the apps you already run.',
  bullets: [
    'A small static server is added for you',
    'Certificate managed by the platform',
    'Every release can be run again',
  ],
  isAvailable: false,
};
