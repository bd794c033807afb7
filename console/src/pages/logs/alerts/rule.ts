/** A rule as it is typed, and as the service takes it. */
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { filtersOf, VIEW_DEFAULTS } from '../view.ts'

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
export type TypedRule = Readonly<Record<keyof typeof RULE_DEFAULTS, string>>

const MINUTES_MAX = 1440

export type Numbers = { threshold: number; window_minutes: number }

/** @returns undefined when there is anything but whole numbers that the service takes */
export function numbersOf({ threshold, window_minutes }: TypedRule): Numbers | undefined {
  const [count, minutes] = [wholeNumber(threshold), wholeNumber(window_minutes)]
  if (count === undefined || minutes === undefined || minutes > MINUTES_MAX) return undefined
  return { threshold: count, window_minutes: minutes }
}

export const conditionOf = (rule: TypedRule): Alert['condition'] =>
  filtersOf({ ...VIEW_DEFAULTS, ...rule })

/** `level error,fatal · category payment`, or that all logs count. */
export function conditionWords(condition: Alert['condition']): string {
  const words = Object.entries(condition).map(([name, value]) => `${WORDS[name] ?? name} ${value}`)
  return words.join(' · ') || 'all logs'
}

const WORDS: Readonly<Record<string, string>> = {
  q: 'words',
  device_id: 'device',
  error_fingerprint: 'error group',
}

function wholeNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined
}
