import { MenuChoice, MenuLabel, MenuSeparator } from '../components/menu.tsx';
import type { Theme } from '../lib/storage.ts';
import { useTheme } from '../lib/use-theme.ts';

const THEMES: readonly { value: Theme; title: string }[] = [
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
  { value: 'system', title: 'System' },
];

/** Entries of the account menu. Mounted with each opening, so that it shows what another tab has chosen. */
export function ThemeChoice() {
  const [theme, choose] = useTheme();
  return (
    <>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice label="Theme" value={theme} choices={THEMES} onChange={choose} />
    </>
  );
}
