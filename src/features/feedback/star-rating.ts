import { FEEDBACK_STARS } from '../../../routers/schemas/limits.ts';

/** The stars in their order: 1 to 5. */
export const stars: readonly number[] = Array.from({ length: FEEDBACK_STARS }, (_, index) => index + 1);

/** Returns whether a star is filled: up to the one under the pointer while there is one, else up to the chosen one. */
export function isFilled(star: number, rating: number, previewed: number | null): boolean {
  return star <= (previewed ?? rating);
}

const LABELS = ['Not rated yet', 'Poor', 'Fair', 'Good', 'Very good', 'Excellent'] as const;

export function ratingLabel(rating: number): string {
  return LABELS[rating] ?? LABELS[0];
}

export function starLabel(star: number): string {
  return star === 1 ? '1 star' : `${star} stars`;
}
