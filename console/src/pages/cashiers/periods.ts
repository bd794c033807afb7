export const PERIODS = ['1', '7', '14', '30', '90'].map((value) => ({
  value,
  label: value === '1' ? 'Last day' : `Last ${value} days`,
}))
