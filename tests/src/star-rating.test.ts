import { expect, test } from 'vitest';
import { ratingLabel, starLabel, stars } from '../../src/features/feedback/star-rating.ts';

test('there are five stars, named in words', () => {
  expect(stars.map(starLabel)).toEqual(['1 star', '2 stars', '3 stars', '4 stars', '5 stars']);
});

test('each rating has a word of its own', () => {
  expect(new Set([0, ...stars].map(ratingLabel)).size).toBe(6);
  expect(ratingLabel(0)).toBe('Not rated yet');
});
