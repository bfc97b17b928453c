import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

export const replit: PlatformFacts = {
  title: 'Replit',
  description: 'A hand-off you finish in two minutes.',
  bullets: ['Archive ready to import', 'Each step explained', 'Checked live when you are done'],
  isAvailable: false,
};

export const replitSetup: PlatformSetup = {
  way: 'Replit has no interface for publishing from outside: you get a ready archive and finish in two minutes there. Then your address is checked from here.',
  cost: 'A paid plan or credits may be asked.',
  needs: ['A Replit account', 'A few clicks of yours: import the archive, press Publish, choose Static'],
  // Replit's documentation names no numbers for static publishing.
  limits: [],
};
