import { expect, it } from 'vitest'
import { reportsOf } from './device-reports.ts'
import { explainCheck } from './reading/explain.ts'
import { conclude } from './result.ts'

const namesOf = (device: Record<string, unknown>) => reportsOf(device).map(({ finding }) => finding)

it('reads what a device reports about itself, under the names that SDKs use', () => {
  expect(namesOf({ is_emulator: true, isRooted: 'true', webdriver: 1 })).toEqual([
    'reports_emulator',
    'reports_rooted',
    'reports_automation',
  ])
  expect(namesOf({ is_emulator: false, rooted: 'no', bot: 0, model: 'bot' })).toEqual([])
  expect(namesOf({ jailbroken: true })).toEqual(['reports_rooted'])
  expect(reportsOf(undefined)).toEqual([])
})

it('explains with it and adds nothing to the score', () => {
  const { result, explanation } = conclude(
    { check_id: 'c', email: undefined, credits_used: 1, is_sandbox: false },
    {
      email_signals: { domain_age_score: 0, mx_score: 0, disposable_score: 0 },
      phone_signals: undefined,
      evidence: reportsOf({ is_emulator: true }),
      hard_floor: 0,
    },
    [],
    0,
  )
  expect(result.risk_score).toBe(0)
  const { silent } = explainCheck(result.risk_score, explanation, undefined)
  expect(silent).toEqual([
    {
      signal: 'device',
      finding: 'reports_emulator',
      detail: 'The device reports that it is an emulator.',
    },
  ])
})
