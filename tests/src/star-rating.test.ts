import { expect, test } from 'vitest';
import { isFilled, ratingLabel, starLabel, stars } from '../../src/features/feedback/star-rating.ts';

const filled = (rating: number, previewed: number | null) => stars.filter((star) => isFilled(star, rating, previewed));

test('there are five stars, named in words', () => {
  expect(stars.map(starLabel)).toEqual(['1 star', '2 stars', '3 stars', '4 stars', '5 stars']);
});

test('stars are filled up to the rating', () => {
  expect(filled(0, null)).toEqual([]);
  expect(filled(3, null)).toEqual([1, 2, 3]);
  expect(filled(5, null)).toEqual([1, 2, 3, 4, 5]);
});

test('the pointer previews more and less than the rating, and the rating returns when it leaves', () => {
  expect(filled(2, 4)).toEqual([1, 2, 3, 4]);
  expect(filled(4, 1)).toEqual([1]);
  expect(filled(4, null)).toEqual([1, 2, 3, 4]);
});

test('each rating has a word of its own', () => {
  expect(new Set([0, ...stars].map(ratingLabel)).size).toBe(6);
  expect(ratingLabel(0)).toBe('Not rated yet');
});
