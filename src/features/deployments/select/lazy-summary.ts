import { lazyComponent } from '../../../lib/lazy-component.tsx';
import type { SelectionSummaryProps } from './selection-summary.tsx';

/** It explains the results of the upload rules, and is loaded with them when something was chosen. */
export const selectionSummary = lazyComponent<SelectionSummaryProps>(
  async () => (await import('./selection-summary.tsx')).SelectionSummary,
);
