/** A log alert rule as a form holds it, and as the service takes it. */
import type { Alert, AlertFiring } from '../../../../../src/modules/edge/alerts/schema.ts'
import { countText, nameIn, numberText } from '../../../components/index.ts'
import { isoOf } from '../time-range.ts'
import { filtersOf, VALUE_FILTERS, VIEW_DEFAULTS } from '../view.ts'

export const ALERTS_PATH = '/v1/edge/alerts'
/** Previews, changes, mutes, and the history, for which the specification has no operations. */
export const CONSOLE_PATH = '/console/api/edge/alerts'

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
  kind: 'count',
  ratio_percent: '',
}
export type RuleForm = Readonly<Record<keyof typeof RULE_DEFAULTS, string>>

export type Kind = Alert['kind']
export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: 'count', label: 'Logs reach a number' },
  { value: 'absence', label: 'Logs are missing' },
  { value: 'ratio', label: 'Logs reach a share' },
  { value: 'new_group', label: 'New error groups' },
]
export const kindOf = ({ kind }: RuleForm): Kind =>
  KINDS.find(({ value }) => value === kind)?.value ?? 'count'

const MINUTES_MAX = 1440

export type Numbers = { threshold: number; window_minutes: number }

/** @returns undefined unless both are integers that the service accepts */
export function numbersOf({ threshold, window_minutes }: RuleForm): Numbers | undefined {
  const [count, minutes] = [positiveInteger(threshold), positiveInteger(window_minutes)]
  if (count === undefined || minutes === undefined || minutes > MINUTES_MAX) return undefined
  return { threshold: count, window_minutes: minutes }
}

/** @returns undefined unless the number is a share; a rule of another kind has none */
export function shareOf(rule: RuleForm): { ratio_percent?: number } | undefined {
  if (kindOf(rule) !== 'ratio') return {}
  const ratio_percent = Number(rule.ratio_percent)
  return ratio_percent > 0 && ratio_percent <= 100 ? { ratio_percent } : undefined
}

/** The values of the form for a rule that exists. */
export const formOf = ({ condition, ...alert }: Alert): RuleForm => ({
  ...RULE_DEFAULTS,
  ...condition,
  name: alert.name,
  threshold: String(alert.threshold),
  window_minutes: String(alert.window_minutes),
  kind: alert.kind,
  ratio_percent: alert.ratio_percent === null ? '' : String(alert.ratio_percent),
})

export const conditionOf = (rule: RuleForm): Alert['condition'] =>
  filtersOf({ ...VIEW_DEFAULTS, ...rule })

/** "Level: error, fatal · Category: payment". */
export function conditionWords(condition: Alert['condition']): string {
  const parts = Object.entries(condition).map(
    ([name, value]) => `${nameIn(NAMES, name)}: ${name === 'level' ? listText(value) : value}`,
  )
  return parts.join(' · ') || 'All logs'
}

/** The logs behind a firing: those of the windows that ended while it lasted. */
export const logsOf = ({ fired_at, resolved_at, rule }: AlertFiring): Record<string, string> => ({
  ...rule.condition,
  from: isoOf(Date.parse(fired_at) - (rule.window_minutes + LATENESS_MINUTES) * MINUTE_MS),
  to: resolved_at ?? '',
})

/** The default of the service; a link with a longer time shows more than is needed. */
const LATENESS_MINUTES = 5
const MINUTE_MS = 60_000

/** "24 hours", "90 minutes". */
export const windowText = (minutes: number): string =>
  minutes % 60 === 0 ? countText(minutes / 60, 'hours') : countText(minutes, 'minutes')

type Limits = Numbers & Pick<Alert, 'kind' | 'ratio_percent'>

/** "45 in 24 hours", "none in 10 minutes", "20 and 5% in 1 hour". */
export function thresholdText({ kind, threshold, window_minutes, ratio_percent }: Limits): string {
  const time = windowText(window_minutes)
  const count = numberText(threshold)
  if (kind === 'absence') return `${threshold === 1 ? 'none' : `fewer than ${count}`} in ${time}`
  if (kind === 'ratio') return `${count} and ${ratio_percent}% in ${time}`
  if (kind === 'new_group') return `${countText(threshold, 'new groups')} in ${time}`
  return `${count} in ${time}`
}

const NAMES: Readonly<Record<string, string>> = {
  level: 'Level',
  q: 'Query',
  ...Object.fromEntries(VALUE_FILTERS.map(({ name, label }) => [name, label])),
}

const listText = (levels: string): string => levels.split(',').join(', ')

function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined
}
