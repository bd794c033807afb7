import { expect, it } from 'vitest'
import { changePolicy } from './change.ts'
import type { PolicyRow } from './record.ts'

const CREATED = new Date('2026-02-01T08:00:00.000Z')
const NOW = new Date('2026-03-01T12:00:00.000Z')
const ROW: PolicyRow = {
  org_id: 'org',
  id: 'policy',
  name: 'Tills',
  description: '',
  management_mode: 'fully_managed',
  policy_json: { cameraDisabled: true, systemUpdate: { type: 'WINDOWED', startMinutes: 1 } },
  version: 3,
  published_version: 2,
  provider_version: 9,
  publish_error: 'Rejected',
  created_at: CREATED,
  updated_at: CREATED,
}

it('finds no change in equal values, in any order of members', () => {
  const policy_json = { systemUpdate: { startMinutes: 1, type: 'WINDOWED' }, cameraDisabled: true }
  expect(changePolicy(ROW, {}, NOW)).toBeUndefined()
  expect(changePolicy(ROW, { name: 'Tills', policy_json }, NOW)).toBeUndefined()
})

it('records only what changed', () => {
  expect(changePolicy(ROW, { name: 'Registers', description: '' }, NOW)).toEqual({
    row: { ...ROW, name: 'Registers', updated_at: NOW },
    has_new_mode: false,
    has_new_version: false,
    before: { name: 'Tills' },
    after: { name: 'Registers' },
  })
})

it('creates a new version for a new document, and clears the rejection of the old one', () => {
  const policy_json = { cameraDisabled: true, wifiConfigDisabled: true }
  const change = changePolicy(ROW, { policy_json, management_mode: 'work_profile' }, NOW)
  expect(change?.row).toEqual({
    ...ROW,
    policy_json,
    management_mode: 'work_profile',
    version: 4,
    publish_error: null,
    updated_at: NOW,
  })
  expect([change?.has_new_mode, change?.has_new_version]).toEqual([true, true])
})

it('records the names of the changed members without their values', () => {
  const policy_json = {
    ...ROW.policy_json,
    cameraDisabled: false,
    openNetworkConfiguration: { Passphrase: 'hunter2' },
  }
  const { before, after } = changePolicy(ROW, { policy_json }, NOW) ?? {}
  expect(before).toEqual({ version: 3 })
  expect(after).toEqual({
    version: 4,
    policy_json_members: ['cameraDisabled', 'openNetworkConfiguration'],
  })
})
