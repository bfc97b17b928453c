import { AppError } from '../../lib/errors.ts';
import type { PlatformRef } from './platform.ts';

/** Returns the text field of a reference with this name, or null. */
export function stringField(ref: PlatformRef | null, field: string): string | null {
  const value = ref?.[field];
  return typeof value === 'string' ? value : null;
}

/** Returns the number field of a reference with this name, or null. */
export function numberField(ref: PlatformRef | null, field: string): number | null {
  const value = ref?.[field];
  return typeof value === 'number' ? value : null;
}

/** Returns null when the requested thing is not, or no longer, at the platform. */
export async function nullIfNotFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && error.code === 'platform_place_gone') return null;
    throw error;
  }
}
