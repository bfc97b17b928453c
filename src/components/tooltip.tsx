import { later, useLater } from '../lib/later.ts';
import type { TooltipProps } from './tooltip-parts.tsx';

export type { TooltipProps };

const tooltipParts = later(() => import('./tooltip-parts.tsx'));

/** Nobody points at anything before the first paint: until the tooltip came, what it is about stands alone. */
export function Tooltip(props: TooltipProps) {
  const parts = useLater(tooltipParts);
  return parts === null ? props.children : <parts.TooltipPart {...props} />;
}
