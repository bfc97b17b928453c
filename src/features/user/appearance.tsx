import { useState } from 'react';
import { ChoiceList } from '../../components/choice-list.tsx';
import { readTheme, type Theme, writeTheme } from '../../lib/storage.ts';

const THEMES: readonly { value: Theme; title: string; description: string }[] = [
  { value: 'system', title: 'System', description: 'As this device is set.' },
  { value: 'light', title: 'Light', description: 'Always light.' },
  { value: 'dark', title: 'Dark', description: 'Always dark.' },
];

/** Kept in this browser, and applied at once. */
export function Appearance() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <ChoiceList
      label="Theme"
      value={theme}
      choices={THEMES}
      onChange={(next) => {
        writeTheme(next);
        setTheme(next);
      }}
    />
  );
}
