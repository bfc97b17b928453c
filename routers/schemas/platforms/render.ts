import type { PlatformFacts, PlatformSetup } from './platform-facts.ts';

export const render: PlatformFacts = {
  title: 'Render',
  description: 'Static sites from a Git repository.',
  bullets: ['Deploys watched step by step', 'Global cache included', 'Roll back to any build'],
  isAvailable: false,
};

export const renderSetup: PlatformSetup = {
  way: 'Render builds static sites from a Git repository alone: your files go to a public repository at GitHub, and Render publishes that.',
  cost: 'Static sites are free; minutes of building are counted.',
  needs: [
    'A Render account with an API key, made under Account settings',
    'A GitHub connection as well: the repository, and with it your files, is public',
  ],
  // Recorded traffic of Render's own tests, May 2025: its API publishes no table.
  limits: ['20 new websites an hour', '10 releases a minute'],
};
