import {
  Bell,
  CircleQuestionMark,
  CircleUserRound,
  Globe,
  KeyRound,
  type LucideIcon,
  Plus,
  Upload,
} from 'lucide-react';
import { HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../routers/schemas/platforms/titles.ts';
import { sectionId } from '../components/page/section.tsx';
import { href, type PathName, paths } from '../lib/paths/paths.ts';
import { type Entry, footerEntries, sidebarGroups } from './navigation.ts';

/** The screens without an entry in the sidebar. */
const FURTHER: readonly Entry[] = [
  { name: 'quickDeploy', label: 'Quick Deploy', icon: Plus },
  { name: 'account', label: 'Account', icon: CircleUserRound },
  { name: 'faq', label: 'Frequently Asked Questions', icon: CircleQuestionMark },
];

const ALSO: Partial<Record<PathName, string>> = {
  analytics: 'statistics visits visitors traffic',
  deployments: 'sites websites projects delete remove',
  deploymentHistory: 'releases roll back rollback undo log activity',
  newDeployment: 'publish upload folder zip create site website',
  quickDeploy: 'publish upload folder zip',
  domains: 'dns records address',
  certificates: 'https tls encryption',
  settings: 'profile username appearance theme webhooks',
  account: 'password email sessions delete account export data receipts invoices billing plan subscription',
  diagnostics: 'check health problems',
  licenseManagement: 'redeem key',
  pricing: 'prices cost money subscription subscribe plans upgrade billing payment cancel',
  help: 'support documentation guides',
  faq: 'faq help',
  about: 'contact support email',
};

type ScreenLink = { path: string; label: string; icon: LucideIcon; also?: string | undefined };

/** The sections of Settings, which a person looks for as for a screen. */
const ofSettings: readonly ScreenLink[] = [
  { label: 'Notifications', icon: Bell, also: 'emails' },
  { label: 'Hosting connections', icon: Upload, also: 'platform tokens' },
  { label: 'DNS connections', icon: Globe, also: 'provider tokens' },
  { label: 'API tokens', icon: KeyRound, also: 'keys scripts' },
].map((section) => ({ ...section, path: `${paths.settings}#${sectionId(section.label)}` }));

const named: readonly ScreenLink[] = [
  ...sidebarGroups.flatMap(({ entries }) => entries),
  ...footerEntries,
  ...FURTHER,
].map(({ name, label, icon }) => ({ path: paths[name], label, icon, also: ALSO[name] }));

const ofPlatforms = HOSTING_PLATFORMS.map((platform) => ({
  path: href.deploy(platform),
  label: `Deploy to ${HOSTING_TITLES[platform]}`,
  icon: Upload,
}));

/** The screens that Go to finds; a platform may be in the sidebar already. */
export const screenLinks: readonly ScreenLink[] = [
  ...named,
  ...ofSettings,
  ...ofPlatforms.filter(({ path }) => named.every((link) => link.path !== path)),
];
