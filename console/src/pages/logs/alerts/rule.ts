/** A log alert rule as a form holds it, and as the service takes it. */
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { countText, nameIn, numberText } from '../../../components/index.ts'
import { filtersOf, VALUE_FILTERS, VIEW_DEFAULTS } from '../view.ts'

export const ALERTS_PATH = '/v1/edge/alerts'

export const RULE_DEFAULTS = {
  name: '',
  level: '',
  q: '',
  device_id: '',
  category: '',
  environment: '',
  error_fingerprint: '',
  threshold: '10',
  window_minutes: '5',
}
export type RuleForm = Readonly<Record<keyof typeof RULE_DEFAULTS, string>>

const MINUTES_MAX = 1440

export type Numbers = { threshold: number; window_minutes: number }

/** @returns undefined unless both are integers that the service accepts */
export function numbersOf({ threshold, window_minutes }: RuleForm): Numbers | undefined {
  const [count, minutes] = [positiveInteger(threshold), positiveInteger(window_minutes)]
  if (count === undefined || minutes === undefined || minutes > MINUTES_MAX) return undefined
  return { threshold: count, window_minutes: minutes }
}

export const conditionOf = (rule: RuleForm): Alert['condition'] =>
  filtersOf({ ...VIEW_DEFAULTS, ...rule })

/** "Level: error, fatal · Category: payment". */
export function conditionWords(condition: Alert['condition']): string {
  const parts = Object.entries(condition).map(
    ([name, value]) => `${nameIn(NAMES, name)}: ${name === 'level' ? listText(value) : value}`,
  )
  return parts.join(' · ') || 'All logs'
}

/** "24 hours", "90 minutes". */
export const windowText = (minutes: number): string =>
  minutes % 60 === 0 ? countText(minutes / 60, 'hours') : countText(minutes, 'minutes')

/** "45 in 24 hours". */
export const thresholdText = ({ threshold, window_minutes }: Numbers): string =>
  `${numberText(threshold)} in ${windowText(window_minutes)}`

const NAMES: Readonly<Record<string, string>> = {
  level: 'Level',
  q: 'Query',
  ...Object.fromEntries(VALUE_FILTERS.map(({ name, label }) => [name, label])),
}

const listText = (levels: string): string => levels.split(',').join(', ')

function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined
}
