import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeDevice, type DeviceChange, type DeviceInput } from './change.ts'
import type { ChangeContext } from './change-context.ts'
import type { DeviceRow } from './record.ts'
import { readReport } from './report.ts'

const POLICY = '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18'
const NAME = 'enterprises/LC1/devices/d1'
const START = Date.parse('2026-03-01T12:00:00Z')
const instant = (seconds: number) => new Date(START + seconds * 1000)
const context: ChangeContext = {
  now: instant(1000),
  org_id: '0198c3a2-0000-7d4e-8b65-4a3c9f7e2d18',
  id: '0198c3a2-1111-7d4e-8b65-4a3c9f7e2d18',
  settings: { mdm_grace_hours: 1, mdm_installation_grace_hours: 24 },
  policies: new Map([
    [POLICY, { management_mode: 'fully_managed', provider_version: 1, rules: [] }],
  ]),
  groups: new Map(),
  token: undefined,
}

type Given = { seconds: number | undefined; state: string; compliant: boolean; version: number }
function reportOf({ seconds, state, compliant, version }: Given): DeviceInput {
  const report = readReport({
    name: NAME,
    state,
    policyName: `enterprises/LC1/policies/${POLICY}`,
    appliedPolicyName: `enterprises/LC1/policies/${POLICY}`,
    appliedPolicyVersion: String(version),
    policyCompliant: compliant,
    nonComplianceDetails: compliant ? [] : [{ settingName: 'a' }],
    ...(seconds !== undefined && { lastStatusReportTime: instant(seconds).toISOString() }),
  })
  if (!report) throw new Error('The report is malformed')
  return { kind: 'report', source: 'notification', report }
}

/** Applies the inputs one after another. */
function fold(inputs: readonly DeviceInput[]) {
  let row: DeviceRow | undefined
  const changes: DeviceChange[] = []
  for (const input of inputs) {
    const change = changeDevice(row, input, context)
    if (!change) continue
    row = change.row
    changes.push(change)
  }
  return { row, changes }
}
const actionsOf = (changes: readonly DeviceChange[]) =>
  changes.flatMap(({ audit }) => audit.map(({ action }) => action))

const anyReport = fc
  .record({
    seconds: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    state: fc.constantFrom('PROVISIONING', 'ACTIVE', 'DISABLED'),
    compliant: fc.boolean(),
    version: fc.integer({ min: 0, max: 2 }),
  })
  .map(reportOf)
const deletion = reportOf({ seconds: 5, state: 'DELETED', compliant: true, version: 1 })
const anyInput = fc.oneof(
  { weight: 6, arbitrary: anyReport },
  fc.constantFrom<DeviceInput>(
    deletion,
    { kind: 'due' },
    { kind: 'missing', provider_name: NAME },
    { kind: 'missing', provider_name: 'enterprises/LC1/devices/other' },
    { kind: 'deletion_confirmed', provider_name: NAME },
  ),
)

describe('a device', () => {
  it('is not changed by repeated reports', () => {
    fc.assert(
      fc.property(fc.array(anyReport, { minLength: 1, maxLength: 8 }), (reports) => {
        const once = fold(reports)
        expect(fold([...reports, ...reports]).changes).toHaveLength(once.changes.length)
        const doubled = reports.flatMap((report) => [report, report])
        expect(fold(doubled).row).toEqual(once.row)
      }),
    )
  })

  it('has the facts of the newest report, in whatever order the reports arrive', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyReport, {
          minLength: 1,
          maxLength: 8,
          selector: (input) => input.kind === 'report' && input.report.reported_at?.getTime(),
        }),
        (reports) => {
          const facts = (inputs: DeviceInput[]) => {
            const { row } = fold(inputs)
            return [
              row?.state,
              row?.last_report_at,
              row?.applied_policy_version,
              row?.policy_compliant,
            ]
          }
          expect(facts(reports.toReversed())).toEqual(facts(reports))
        },
      ),
    )
  })

  it('gets one event and one audit entry for each change of compliance', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 15 }), (inputs) => {
        let row: DeviceRow | undefined
        for (const input of inputs) {
          const change = changeDevice(row, input, context)
          if (!change) continue
          const before = row?.compliance_state ?? 'unknown'
          const isChanged = change.row.compliance_state !== before
          const actions = actionsOf([change])
          const types = change.events.map(({ type }) => type)
          expect(types.includes('mdm.device.compliance_changed')).toBe(isChanged)
          expect(actions.includes('device.compliance_changed')).toBe(isChanged)
          expect(types.includes('mdm.device.enrolled')).toBe(!row)
          expect(actions.includes('device.enrolled')).toBe(!row)
          const isEnding = change.row.state === 'deleted' && row?.state !== 'deleted'
          expect(change.is_ended).toBe(isEnding)
          expect(actions.includes('device.deleted')).toBe(isEnding)
          for (const { data } of change.events) {
            expect(data.compliance_state).toBe(change.row.compliance_state)
          }
          row = change.row
        }
      }),
    )
  })

  it('never returns from a deletion that was reported or confirmed', () => {
    fc.assert(
      fc.property(
        anyReport,
        fc.constantFrom<DeviceInput>(deletion, { kind: 'deletion_confirmed', provider_name: NAME }),
        fc.array(anyInput, { maxLength: 10 }),
        (first, end, inputs) => {
          const ended = fold([first, end])
          expect(ended.row?.state).toBe('deleted')
          expect(fold([first, end, ...inputs]).row).toEqual(ended.row)
        },
      ),
    )
  })

  it('always satisfies the constraints of the table', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 15 }), (inputs) => {
        const { row } = fold(inputs)
        if (!row) return
        expect(row.compliance_state === 'grace_period').toBe(row.grace_period_expires_at !== null)
        expect(row.state === 'deleted').toBe(row.deleted_at !== null)
        expect(row.state === 'deleted').toBe(row.deleted_by !== null)
      }),
    )
  })
})

describe('an audit entry', () => {
  it('contains the changed facts before and after', () => {
    const active = { seconds: 1, state: 'ACTIVE', compliant: true, version: 1 }
    const { changes } = fold([
      reportOf(active),
      reportOf({ ...active, seconds: 2, state: 'DISABLED' }),
      reportOf({ ...active, seconds: 3, state: 'DISABLED', compliant: false }),
      { kind: 'deletion_confirmed', provider_name: NAME },
    ])
    const entries = changes.slice(1).flatMap(({ audit }) => audit)
    expect(entries.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      {
        action: 'device.state_changed',
        before: { state: 'active' },
        after: { state: 'disabled' },
      },
      {
        action: 'device.compliance_changed',
        before: { compliance_state: 'compliant' },
        after: {
          compliance_state: 'grace_period',
          grace_period_expires_at: instant(3603).toISOString(),
        },
      },
      {
        action: 'device.deleted',
        before: { state: 'disabled' },
        after: { state: 'deleted', by: 'request' },
      },
      {
        action: 'device.compliance_changed',
        before: {
          compliance_state: 'grace_period',
          grace_period_expires_at: instant(3603).toISOString(),
        },
        after: { compliance_state: 'unknown' },
      },
    ])
  })
})
