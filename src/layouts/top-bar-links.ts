import { paths } from '../lib/paths.ts';

/** Links of the top bar in their order (specification, section 2). */
export const topBarLinks = [
  { to: paths.home, label: 'Home' },
  { to: paths.dashboard, label: 'Dashboard' },
  { to: paths.about, label: 'About' },
] as const;
