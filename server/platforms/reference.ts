import { AppError } from '../lib/errors.ts';
import type { PlatformRef } from './platform.ts';

/** A text out of a reference, when it has one of this name. */
export function stringField(ref: PlatformRef | null, field: string): string | null {
  const value = ref?.[field];
  return typeof value === 'string' ? value : null;
}

/** A number out of a reference, when it has one of this name. */
export function numberField(ref: PlatformRef | null, field: string): number | null {
  const value = ref?.[field];
  return typeof value === 'number' ? value : null;
}

/** Null where what was asked for is not at the platform, or not any more. */
export async function nullIfNotFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && error.code === 'platform_place_gone') return null;
    throw error;
  }
}
