import { expect, it } from '@jest/globals';
import { counted, dollars, number } from './numbers.js';

it('writes numbers, money and counts as people read them', () => {
  expect(number(1234567)).toBe('1,234,567');
  expect([0, 0.0042, 1.445, 3, 1234.567].map(dollars)).toEqual(['$0.00', '$0.0042', '$1.445', '$3.00', '$1,234.57']);
  expect([counted(0, 'profile'), counted(1, 'profile'), counted(2000, 'company', 'companies')]).toEqual([
    '0 profiles',
    '1 profile',
    '2,000 companies',
  ]);
});
