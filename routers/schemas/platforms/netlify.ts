import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

export const netlify: PlatformFacts = {
  title: 'Netlify',
  description: 'Static sites with instant, atomic publishing.',
  bullets: ['Only changed files travel', 'Restore an earlier release in one call', 'Free TLS on your own domain'],
  isAvailable: false,
};

export const netlifySetup: PlatformSetup = {
  way: 'Your files are sent as they are, and only those that changed. A release is public at once when Netlify has them all.',
  cost: 'A free plan is there; newer plans count a release as credits.',
  needs: ['A Netlify account', 'A personal access token, made under User settings, Applications'],
  // Netlify's guide to its API, read 2026-08-27.
  limits: ['500 calls a minute', '3 releases a minute'],
};
