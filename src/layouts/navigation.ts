import {
  AtSign,
  ChartNoAxesColumn,
  Compass,
  FlaskConical,
  Globe,
  History,
  House,
  Info,
  KeyRound,
  Layers,
  LayoutDashboard,
  LifeBuoy,
  Lock,
  type LucideIcon,
  Plus,
  SlidersHorizontal,
  Stethoscope,
  Tag,
  Upload,
} from 'lucide-react';
import { matchesPath, type PathName, paths } from '../lib/paths/paths.ts';
import { type AppRoute, findRoute } from '../routes.tsx';

export type Entry = { name: PathName; label: string; icon: LucideIcon; badge?: 'Beta' | 'New' };
export type Group = { title: 'Main' | 'Deployments' | 'Configuration' | 'Tools'; entries: readonly Entry[] };

/** Groups and entries of the sidebar in their order. */
export const sidebarGroups: readonly Group[] = [
  {
    title: 'Main',
    entries: [
      { name: 'home', label: 'Home', icon: House },
      { name: 'dashboard', label: 'Dashboard', icon: LayoutDashboard },
      { name: 'analytics', label: 'Analytics', icon: ChartNoAxesColumn },
    ],
  },
  {
    title: 'Deployments',
    entries: [
      { name: 'deployments', label: 'Active Deployments', icon: Globe },
      { name: 'deploymentHistory', label: 'Deployment History', icon: History },
      { name: 'newDeployment', label: 'New Deployment', icon: Plus },
    ],
  },
  {
    title: 'Configuration',
    entries: [
      { name: 'domains', label: 'Domains', icon: AtSign },
      { name: 'certificates', label: 'SSL Certificates', icon: Lock },
      { name: 'settings', label: 'Settings', icon: SlidersHorizontal },
    ],
  },
  {
    title: 'Tools',
    entries: [
      { name: 'unifiedDeployment', label: 'All-in-One Deployment', icon: Layers, badge: 'New' },
      { name: 'deployNetlify', label: 'Deploy to Netlify', icon: Upload },
      { name: 'guidedDeployment', label: 'Guided Deployment', icon: Compass },
      { name: 'diagnostics', label: 'System Diagnostics', icon: Stethoscope, badge: 'New' },
      { name: 'testSimulation', label: 'Test & Simulation', icon: FlaskConical },
      { name: 'licenseManagement', label: 'License Management', icon: KeyRound },
    ],
  },
];

/** The entries of the sidebar's footer. Logout is below them, since it is not a mere link. */
export const footerEntries: readonly Entry[] = [
  { name: 'help', label: 'Help & Documentation', icon: LifeBuoy },
  { name: 'pricing', label: 'Pricing & Trial', icon: Tag, badge: 'Beta' },
  { name: 'about', label: 'About', icon: Info },
];

/** The mobile menu only has these three; the tools are in the account menu. */
export const mobileGroups = sidebarGroups.filter(({ title }) => title !== 'Tools');
export const toolEntries = sidebarGroups.find(({ title }) => title === 'Tools')?.entries ?? [];

/** Returns whether this entry is marked on this page. */
export function isCurrentEntry(name: PathName, pathname: string): boolean {
  return matchesPath(paths[name], highlightedPath(findRoute(pathname).route, pathname));
}

function highlightedPath(route: AppRoute, pathname: string): string {
  return route.highlights ?? pathname;
}
