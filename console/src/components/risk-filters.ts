export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const

export const MINIMUM_SCORES = [
  { value: '', label: 'Any score' },
  { value: '25', label: '25 or higher' },
  { value: '50', label: '50 or higher' },
  { value: '70', label: '70 or higher' },
  { value: '90', label: '90 or higher' },
] as const
