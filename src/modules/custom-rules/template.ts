import type { CustomRule } from './rule.ts'

export type Template = Omit<CustomRule, 'applies_to' | 'state' | 'warning'>
