import { ChoiceList } from '../../components/fields/choice-list.tsx';
import { useTheme } from '../../lib/browser/use-theme.ts';
import type { Theme } from '../../lib/storage/storage.ts';

const THEMES: readonly { value: Theme; title: string; description?: string }[] = [
  { value: 'system', title: 'System', description: 'Follows your device.' },
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
];

/** Chooses the theme, which is stored in this browser and applied at once. */
export function Appearance() {
  const [theme, choose] = useTheme();
  return <ChoiceList label="Theme" value={theme} choices={THEMES} onChange={choose} />;
}
