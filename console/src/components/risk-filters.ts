/** Least scores that lists are filtered by, and the levels they stand for. */
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const

export const LEAST_SCORES = [
  { value: '', label: 'Any score' },
  { value: '25', label: '25 and more' },
  { value: '50', label: '50 and more' },
  { value: '70', label: '70 and more' },
  { value: '90', label: '90 and more' },
] as const
