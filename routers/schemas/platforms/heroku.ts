import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

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

export const herokuSetup: PlatformSetup = {
  way: 'Heroku has no hosting for static sites: your files are packed with a small web server and run as an app.',
  cost: 'Not free: an Eco dyno costs $5 a month and sleeps after 30 minutes without visitors, a Basic dyno costs $7 a month.',
  needs: ['A Heroku account verified with a payment card', 'An authorization token, made under Account, Applications'],
  // Heroku Dev Center, Platform API reference.
  limits: ['4,500 calls an hour'],
};
