import type { PlatformFacts } from './platform-facts.ts';

export const render: PlatformFacts = {
  title: 'Render',
  description: 'Static sites from a Git repository.',
  bullets: ['Deploys watched step by step', 'Global cache included', 'Roll back to any build'],
  isAvailable: false,
};
