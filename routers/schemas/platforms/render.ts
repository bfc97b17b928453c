import type { PlatformFacts } from './platform-facts.ts';
import { HOSTING_TITLES } from './titles.ts';

export const render = {
  title: HOSTING_TITLES.render,
  description: 'Static sites from a Git repository.',
  bullets: ['Deploys watched step by step', 'Global cache included', 'Roll back to any build'],
} satisfies PlatformFacts;
